import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import { type Turn, turnOf } from './turn.ts';

export interface ModelRequest {
  readonly task: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

export interface Model {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** When the last reply began to stream its text. */
  readonly firstDeltaAt?: number | undefined;
  /** Lines for codex's `config.toml` that select this model. */
  readonly config: string;
  close(): Promise<void>;
}

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

/**
 * Starts a model with the Responses API on loopback. It plays the script in the task, or the one for a task that contains the
 * given words, and streams the replies.
 */
export async function startResponsesModel(
  scripts: Readonly<Record<string, readonly Turn[]>> = {},
): Promise<Model> {
  const requests: ModelRequest[] = [];
  let firstDeltaAt: number | undefined;
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as { input?: readonly Item[] };
    const input = body.input ?? [];
    const last = input.findLastIndex((item) => item.role === 'user');
    const task = (input[last]?.content ?? []).map((part) => part.text ?? '').join('\n');
    const outputs = input.slice(last + 1).filter((item) => item.type === 'function_call_output');
    const step = outputs.filter((item) => sessionOf(item) === undefined).length;
    const running = sessionOf(outputs.at(-1));
    requests.push({ task, body: body as Record<string, unknown>, headers: request.headers });
    const known = Object.entries(scripts).find(([words]) => task.includes(words))?.[1];
    const turn = running === undefined ? (known?.[step] ?? turnOf(task, step)) : waitFor(running);
    await play(turn, response, () => {
      firstDeltaAt = Date.now();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url,
    requests,
    get firstDeltaAt() {
      return firstDeltaAt;
    },
    config: configFor(url),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The session of a command that is still running: Codex answers after ten seconds, whether or not the command has ended. */
function sessionOf(item: Item | undefined): number | undefined {
  const session = /^Process running with session ID (\d+)$/m.exec(String(item?.output ?? ''))?.[1];
  return session === undefined ? undefined : Number(session);
}

/** Waits for the command, as models do. Without this, the run would end before a command that is slow on a busy machine. */
function waitFor(session: number): Turn {
  return { tool: 'write_stdin', arguments: { session_id: session, chars: '' } };
}

export function configFor(url: string): string {
  return [
    'model = "scripted"',
    'model_provider = "loopback"',
    '[model_providers.loopback]',
    'name = "loopback"',
    `base_url = "${url}"`,
    'wire_api = "responses"',
    'requires_openai_auth = false',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    '',
  ].join('\n');
}

async function play(turn: Turn, response: ServerResponse, onDelta: () => void): Promise<void> {
  if ('status' in turn) {
    response.writeHead(turn.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: turn.message ?? 'scripted failure' } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const id = 'resp_1';
  send('response.created', { response: { id } });
  if ('hang' in turn) return;
  if ('cut' in turn) {
    response.destroy();
    return;
  }
  if ('refuse' in turn) {
    send('response.failed', {
      response: { id, error: { code: turn.refuse, message: turn.message ?? turn.refuse } },
    });
    response.end();
    return;
  }
  if ('say' in turn) {
    if (turn.afterMs !== undefined) await after(turn.afterMs);
    const item = { type: 'message', role: 'assistant', id: 'msg_1' };
    send('response.output_item.added', { item: { ...item, content: [] } });
    const length = Math.ceil(turn.say.length / (turn.pieces ?? 1)) || 1;
    for (let at = 0; at < turn.say.length; at += length) {
      if (at === 0) onDelta();
      send('response.output_text.delta', { delta: turn.say.slice(at, at + length) });
      if (turn.pauseMs !== undefined) await after(turn.pauseMs);
    }
    send('response.output_item.done', {
      item: { ...item, content: [{ type: 'output_text', text: turn.say }] },
    });
  } else {
    send('response.output_item.done', { item: callOf(turn) });
  }
  send('response.completed', {
    response: {
      id,
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 120,
      },
    },
  });
  response.end();
}

let calls = 0;

function callOf(turn: Extract<Turn, { shell: string } | { tool: string }>): object {
  const call_id = `call_${++calls}`;
  if ('shell' in turn) {
    const args = {
      cmd: turn.shell,
      ...(turn.timeoutMs !== undefined && { yield_time_ms: turn.timeoutMs }),
    };
    return { type: 'function_call', call_id, name: 'exec_command', arguments: JSON.stringify(args) };
  }
  return {
    type: 'function_call',
    call_id,
    ...(turn.server !== undefined && { namespace: `mcp__${turn.server}` }),
    name: turn.tool,
    arguments: JSON.stringify(turn.arguments ?? {}),
  };
}
