import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface ChatRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format?: { readonly type: string; readonly json_schema: { readonly schema: object } };
  };
}

export interface ChatModel extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly ChatRequest[];
}

/** Answers the n-th request: returns the text of the model, or writes the response itself and returns undefined. */
export type Behaviour = (request: ChatRequest, index: number, response: ServerResponse) => string | undefined;

/** Starts a local server with a chat completions API. */
export async function startChatModel(behave: Behaviour): Promise<ChatModel> {
  const asked: ChatRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const chat = { headers: request.headers, body: JSON.parse(body) };
      asked.push(chat);
      const content = behave(chat, asked.length - 1, response);
      if (content === undefined) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
