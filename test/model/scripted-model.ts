import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import type { Model, ModelRequest } from './responses-model.ts';
import { defaultTurn, type Turn, turnOf } from './turn.ts';

type Body = Readonly<Record<string, unknown>>;
interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly parts?: readonly { readonly functionResponse?: object; readonly functionCall?: object }[];
  readonly tool_calls?: readonly object[];
}

/** Starts the scripted model with the APIs of OpenAI's chat completions and of Gemini. It says texts and calls tools. */
export async function startScriptedModel(): Promise<Omit<Model, 'config'>> {
  const requests: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as Body;
    const url = request.url ?? '';
    const isGemini = url.includes('enerateContent');
    const messages = (isGemini ? body['contents'] : body['messages']) as readonly Message[] | undefined;
    if (messages === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    // A client may add messages of its own after the task, so the script is looked for in all of them.
    const last = messages.findLastIndex((message) => JSON.stringify(message).includes('<<turns '));
    const task = last < 0 ? '' : JSON.stringify(messages[last]);
    requests.push({ task, body, headers: request.headers });
    const step = messages.slice(last + 1).filter((one) => isToolResult(one) || isWords(one)).length;
    const given = turnOf(task, step);
    if ('hang' in given) return;
    if ('status' in given) {
      response.writeHead(given.status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { code: given.status, message: given.message ?? 'scripted failure' } }),
      );
      return;
    }
    const turn = playable(given);
    if ('say' in turn && turn.afterMs !== undefined) await after(turn.afterMs);
    const isStream = url.includes('streamGenerateContent') || body['stream'] === true;
    const chunks = isGemini ? [geminiAnswer(turn)] : chatAnswer(turn, isStream);
    const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(
      isStream ? [...lines, ...(isGemini ? [] : ['data: [DONE]\n\n'])].join('') : JSON.stringify(chunks[0]),
    );
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

function isToolResult({ role, parts }: Message): boolean {
  return role === 'tool' || (parts ?? []).some((part) => part.functionResponse !== undefined);
}

/** A reply of the model that calls no tool. */
function isWords({ role, parts, tool_calls }: Message): boolean {
  const calls = [...(tool_calls ?? []), ...(parts ?? []).filter((part) => part.functionCall !== undefined)];
  return (role === 'assistant' || role === 'model') && calls.length === 0;
}

type Playable = Extract<Turn, { say: string } | { tool: string }>;

function playable(turn: Turn): Playable {
  return 'say' in turn || 'tool' in turn ? turn : (defaultTurn as Playable);
}

function geminiAnswer(turn: Playable): object {
  const part =
    'say' in turn ? { text: turn.say } : { functionCall: { name: turn.tool, args: turn.arguments ?? {} } };
  return {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 },
  };
}

let calls = 0;

function chatAnswer(turn: Playable, isStream: boolean): readonly object[] {
  const about = { id: 'chat-1', created: 1, model: 'scripted' };
  const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
  const message =
    'say' in turn
      ? { role: 'assistant', content: turn.say }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              index: 0,
              id: `call_${++calls}`,
              type: 'function',
              function: { name: turn.tool, arguments: JSON.stringify(turn.arguments ?? {}) },
            },
          ],
        };
  const finish_reason = 'say' in turn ? 'stop' : 'tool_calls';
  if (!isStream)
    return [{ ...about, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }];
  const chunk = { ...about, object: 'chat.completion.chunk' };
  return [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
}
