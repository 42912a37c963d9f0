import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import { createServer } from '../../app.ts';
import type { LoadedConfig } from '../../config.ts';
import { failureKey, parseFailure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory, type MemoryOptions } from '../../transports/memory.ts';
import { version } from '../../version.ts';
import type { Show, Terminal } from '../terminal/terminal.ts';

/** A tool's result: as text for people and as a value for programs. */
export interface Answer<Name extends ToolName = ToolName> {
  readonly text: string;
  readonly value: ToolAnswer<Name>;
}

export interface LocalClient extends AsyncDisposable {
  /** Calls a tool and shows its progress on a terminal. Throws failures. */
  call<Name extends ToolName>(
    tool: Name,
    args: ToolArguments<Name>,
    options?: CallOptions,
  ): Promise<Answer<Name>>;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

interface CallOptions {
  /** Progress message until the tool reports its own. Default: the subcommand. */
  readonly doing?: string;
  /** Called on the first Ctrl-C, to cancel the work instead of abandoning it. */
  readonly onInterrupt?: () => void;
}

interface ClientOptions extends Pick<MemoryOptions, 'onNotification'> {
  /** Answers the server's questions. Without it, the server asks none. */
  readonly onRequest?: MemoryOptions['onRequest'] | undefined;
  /** True for a command that starts a run. It also finishes the runs whose processes were killed. */
  readonly startsRuns?: boolean;
}

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
