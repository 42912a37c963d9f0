import { spawn } from 'node:child_process';
import type { Finding } from '../../status/health.ts';
import { type ParsedEntry, parseEntry } from '../install/client-entry.ts';
import type { Client } from '../install/clients.ts';
import type { Terminal } from '../terminal/command.ts';

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'adjutant-doctor', version: '1' },
  },
});

/** Starts or calls the server as the client would, and waits for the first answer. */
export async function checkReach(
  client: Client,
  entry: Readonly<Record<string, unknown>>,
  terminal: Pick<Terminal, 'env'>,
): Promise<Finding> {
  const parsed = parseEntry(entry);
  const answered = parsed.kind === 'http' ? await overHttp(parsed) : await overStdio(parsed, terminal);
  const checked = { title: client.title, client: client.id };
  if (answered) return { ...checked, state: 'good', detail: 'reaches the server' };
  return parsed.kind === 'http'
    ? {
        ...checked,
        state: 'bad',
        detail: `${parsed.url} does not answer`,
        remedy: `start adjutant serve --http, or run adjutant install ${client.id} --http again`,
      }
    : {
        ...checked,
        state: 'bad',
        detail: 'the command in its configuration does not start the server',
        remedy: `run adjutant install ${client.id} again`,
      };
}

function overStdio(
  { command, args }: Extract<ParsedEntry, { kind: 'stdio' }>,
  terminal: Pick<Terminal, 'env'>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      env: terminal.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stdin.on('error', () => {});
    child.on('error', () => resolve(false));
    child.on('close', () => resolve(text.includes('"serverInfo"')));
    child.stdin.end(`${initialize}\n`);
  });
}

async function overHttp({ url, headers }: Extract<ParsedEntry, { kind: 'http' }>): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: initialize,
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  return response?.ok ?? false;
}
