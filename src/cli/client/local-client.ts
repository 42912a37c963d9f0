import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import { createServer } from '../../app.ts';
import type { LoadedConfig } from '../../config.ts';
import { failureKey, parseFailure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory } from '../../transports/memory.ts';
import { version } from '../../version.ts';
import type { Answer, ClientOptions, LocalClient } from '../terminal/command.ts';
import type { Show, Terminal } from '../terminal/terminal.ts';

/** Connects a command to the engine in the same process. Commands use MCP like every other client. */
export async function openLocalClient(
  { config, origins, positionals: [subcommand = 'working'] }: LoadedConfig,
  { env, progress }: Terminal,
  { onNotification, onRequest, startsRuns = false }: ClientOptions = {},
): Promise<LocalClient> {
  const server = createServer('standard', config, { origins, env, recoversRuns: startsRuns });
  const shows = new Map<unknown, Show>();
  let calls = 0;
  const client = connectMemory(server, {
    // Toolsets are for models. A person at the command line is bound only by read_only.
    access: server.access.withoutToolsets(),
    ...(onRequest && { onRequest }),
    onNotification(method, params) {
      if (method === 'notifications/progress')
        shows.get(params['progressToken'])?.(
          String(params['message'] ?? ''),
          Number(params['progress']),
          params['total'] === undefined ? undefined : Number(params['total']),
        );
      onNotification?.(method, params);
    },
  });
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: onRequest ? { elicitation: {} } : {},
    clientInfo: { name: 'adjutant', version },
  });
  const call = async <Name extends ToolName>(
    tool: Name,
    args: ToolArguments<Name>,
    show: Show,
  ): Promise<Answer<Name>> => {
    const progressToken = ++calls;
    shows.set(progressToken, show);
    const result = await client.request('tools/call', {
      name: tool,
      arguments: args as JsonObject,
      _meta: { progressToken },
    });
    shows.delete(progressToken);
    const text = (result['content'] as { text?: string }[]).flatMap((part) => part.text ?? []).join('\n');
    // A failed run is an error with a result.
    if (result['isError'] === true && result['structuredContent'] === undefined)
      throw parseFailure((result['_meta'] as JsonObject | undefined)?.[failureKey], text);
    return { text, value: (result['structuredContent'] ?? { text }) as ToolAnswer<Name> };
  };
  return {
    call: (tool, args, { doing = subcommand, onInterrupt } = {}) =>
      progress.during(doing, (show) => call(tool, args, show), onInterrupt),
    request: (method, params) => progress.during(subcommand, () => client.request(method, params)),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
