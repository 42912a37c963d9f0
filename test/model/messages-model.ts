import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import type { Model, ModelRequest } from './responses-model.ts';
import { type Turn, turnOf } from './turn.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** Starts the scripted model with the Messages API, which Claude Code uses. */
export async function startMessagesModel(): Promise<Omit<Model, 'config'>> {
  const requests: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as { messages?: readonly Message[] };
    if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const blocks = (body.messages ?? []).map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    }));
    const isTask = ({ role, content }: { role: string; content: readonly Block[] }) =>
      role === 'user' &&
      // A message that arrives after the last tool call of a turn shares its message with the result of the call.
      (!content.some((block) => block.type === 'tool_result') || content.some(hasScript));
    const last = blocks.findLastIndex(isTask);
    const task = (blocks[last]?.content ?? []).map((block) => block.text ?? '').join('\n');
    const step = blocks.slice(last + 1).filter(({ role }) => role === 'user').length;
    requests.push({ task, body: body as Record<string, unknown>, headers: request.headers });
    await play(turnOf(task, step), response, (body as { tools?: { name: string }[] }).tools ?? []);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function play(turn: Turn, response: ServerResponse, tools: readonly { name: string }[]): Promise<void> {
  if ('status' in turn || 'refuse' in turn) {
    response.writeHead('status' in turn ? turn.status : 400, { 'content-type': 'application/json' });
    const error = { type: 'invalid_request_error', message: turn.message ?? 'scripted failure' };
    response.end(JSON.stringify({ type: 'error', error }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  send('message_start', {
    message: {
      id: `msg_${++messages}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 1 },
    },
  });
  if ('hang' in turn) return;
  if ('cut' in turn) {
    response.destroy();
    return;
  }
  if ('say' in turn && turn.afterMs !== undefined) await after(turn.afterMs);
  const [block, deltas] = blockOf(turn, tools);
  send('content_block_start', { index: 0, content_block: block });
  for (const delta of deltas) send('content_block_delta', { index: 0, delta });
  send('content_block_stop', { index: 0 });
  send('message_delta', {
    delta: { stop_reason: block.type === 'text' ? 'end_turn' : 'tool_use' },
    usage: { output_tokens: 20 },
  });
  send('message_stop', {});
  response.end();
}

function hasScript({ text: content = '' }: Block): boolean {
  return content.includes('<<turns ');
}

let messages = 0;

function blockOf(
  turn: Extract<Turn, { say: string } | { shell: string } | { tool: string }>,
  tools: readonly { name: string }[],
): [{ type: string }, object[]] {
  const use = (name: string, input: object): [{ type: string }, object[]] => [
    { type: 'tool_use', id: `toolu_${++messages}`, name, input: {} } as { type: string },
    [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
  ];
  if ('shell' in turn) return use('Bash', { command: turn.shell, description: 'scripted' });
  if ('tool' in turn)
    return use(
      turn.server === undefined ? turn.tool : `mcp__${turn.server}__${turn.tool}`,
      turn.arguments ?? {},
    );
  // Structured output is returned through a tool.
  const structured = tools.find(({ name }) => name === 'StructuredOutput');
  if (structured !== undefined && turn.say.startsWith('{')) return use(structured.name, JSON.parse(turn.say));
  return [{ type: 'text', text: '' } as { type: string }, [{ type: 'text_delta', text: turn.say }]];
}
