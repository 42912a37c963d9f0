#!/usr/bin/env node
// Starts Firefox for Playwright, which sends a command that stable versions of Firefox do not know, and gives up when it fails. The
// relay answers this command itself: it sets the colours that a page prefers, and tests set the theme of the page instead.
const { spawn } = require('node:child_process');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const { WebSocketServer } = createRequire(join(__dirname, '../components/package.json'))('ws');

const unknown = 'emulation.setMediaFeaturesOverride';
const firefox = spawn(process.env.FIREFOX, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'pipe'] });
process.on('SIGTERM', () => firefox.kill());
firefox.on('exit', (code) => process.exit(code ?? 1));
let output = '';
firefox.stderr.on('data', (chunk) => {
  output += chunk;
  const address = /WebDriver BiDi listening on (ws:\S+)\n/.exec(output)?.[1];
  if (address === undefined) return;
  output = '';
  relay(`${address}/session`);
});

function relay(address) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () =>
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`),
  );
  server.on('connection', (client) => {
    const upstream = new WebSocket(address);
    const open = new Promise((resolve) => upstream.addEventListener('open', resolve));
    upstream.addEventListener('message', ({ data }) => client.send(data));
    upstream.addEventListener('close', () => client.close());
    client.on('close', () => upstream.close());
    client.on('message', async (data) => {
      const { id, method } = JSON.parse(data);
      if (method === unknown) return client.send(JSON.stringify({ type: 'success', id, result: {} }));
      await open;
      upstream.send(String(data));
    });
  });
}
