// A minimal server on the official SDK, with one tool and one prompt. On HTTP with the argument `http`.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(join(import.meta.dirname, '../../../test/components/package.json'));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server');
const { z } = await load('zod');

function create() {
  const server = new McpServer({ name: 'sdk', version: '1' });
  const schema = z.object({ command: z.string().optional(), input: z.string() });
  server.registerTool('expand_prompt', { description: 'Expands a prompt.', inputSchema: schema }, (args) => ({
    content: [{ type: 'text', text: `Do ${args.input}, 7 times.` }],
  }));
  server.registerPrompt('command-7', { description: 'A command.', argsSchema: schema }, (args) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Do ${args.input}, 7 times.` } }],
  }));
  return server;
}

if (process.argv[2] === 'http') {
  const handler = createMcpHandler(create);
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    const url = `http://${headers.host}${request.url}`;
    const answer = await handler.fetch(new Request(url, { method, headers, body: Buffer.concat(chunks) }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
  serveStdio(create);
}
