// The least that Node can do: reads a message, fills in a text and writes the answer. On HTTP with the argument `http`.
'use strict';
const result = {
  'tools/call': (text) => ({ content: [{ type: 'text', text }] }),
  'prompts/get': (text) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }),
};

function answer({ id, method, params }) {
  const text = `Do ${params?.arguments?.input}, 7 times.`;
  const protocolVersion = params?.protocolVersion;
  const opening = { protocolVersion, capabilities: {}, serverInfo: { name: 'bare', version: '1' } };
  return JSON.stringify({ jsonrpc: '2.0', id, result: result[method]?.(text) ?? opening });
}

if (process.argv[2] === 'http') {
  const server = require('node:http').createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer(JSON.parse(body)));
    });
  });
  server.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  let text = '';
  process.stdin.on('data', (chunk) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id !== undefined) process.stdout.write(`${answer(message)}\n`);
    }
  });
}
