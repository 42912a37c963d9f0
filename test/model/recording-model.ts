import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RecordingModel {
  readonly url: string;
  /** The bodies of all requests, as JSON text. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Starts a model that answers every request with "Done.", in the API of OpenAI's chat completions or in Gemini's. */
export async function startRecordingModel(): Promise<RecordingModel> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    requests.push(body);
    const url = request.url ?? '';
    const isStream = url.includes('streamGenerateContent') || /"stream":\s*true/.test(body);
    const chunks = url.includes('enerateContent') ? geminiAnswer : chatAnswer(isStream);
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(
      isStream
        ? [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']
            .slice(0, url.includes('enerateContent') ? -1 : undefined)
            .join('')
        : JSON.stringify(chunks[0]),
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

const geminiAnswer = [
  {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 },
  },
];

function chatAnswer(isStream: boolean): readonly object[] {
  const about = { id: 'chat-1', created: 1, model: 'scripted' };
  const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
  const content = { role: 'assistant', content: 'Done.' };
  if (!isStream)
    return [
      {
        ...about,
        object: 'chat.completion',
        choices: [{ index: 0, message: content, finish_reason: 'stop' }],
        usage,
      },
    ];
  const chunk = { ...about, object: 'chat.completion.chunk' };
  return [
    { ...chunk, choices: [{ index: 0, delta: content, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ];
}
