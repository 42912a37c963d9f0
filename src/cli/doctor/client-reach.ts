import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Finding } from '../../feature.ts';
import { singleLine } from '../../single-line.ts';
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

/** On macOS, programs with windows have this PATH; those of Linux desktops often have little more. */
const shortPath = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Starts or calls the server as the client would, and waits for the first answer. */
export async function checkReach(
  client: Client,
  entry: Readonly<Record<string, unknown>>,
  terminal: Pick<Terminal, 'env'>,
): Promise<Finding> {
  const parsed = parseEntry(entry);
  const checked = { title: client.title, client: client.id };
  if (parsed.kind === 'http')
    return (await overHttp(parsed))
      ? { ...checked, ...reached }
      : {
          ...checked,
          state: 'bad',
          detail: `${parsed.url} does not answer`,
          remedy: `start adjutant serve --http, or run adjutant install ${client.id} --http again`,
        };
  // On Windows, programs with windows have the PATH of the user.
  const isShort = client.hasWindow === true && process.platform !== 'win32';
  const problem = isShort
    ? await overStdio(
        parsed,
        { ...terminal.env, PATH: shortPath },
        `the PATH of programs with windows (${shortPath})`,
      )
    : await overStdio(parsed, terminal.env, 'the PATH');
  if (problem === undefined) return { ...checked, ...reached };
  return {
    ...checked,
    state: 'bad',
    detail: problem,
    remedy: `run adjutant install ${client.id} again${isShort ? ', which writes the full paths' : ''}`,
  };
}

const reached = { state: 'good', detail: 'reaches the server' } as const;

/** Starts the command of an entry. Resolves to the reason why it does not answer, or `undefined` if it does. */
function overStdio(
  { command, args, env }: Extract<ParsedEntry, { kind: 'stdio' }>,
  inherited: Terminal['env'],
  pathTitle: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      env: { ...inherited, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 10_000,
    });
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr.on('data', (chunk) => {
      if (errors.length < 10_000) errors += chunk;
    });
    child.stdin.on('error', () => {});
    child.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (!isAbsolute(command)) resolve(`${command} is not on ${pathTitle}`);
      else resolve(`${command} ${existsSync(command) ? `cannot be started (${code})` : 'does not exist'}`);
    });
    child.on('close', () => {
      if (text.includes('"serverInfo"')) resolve(undefined);
      const [why] = errors.split('\n').filter((line) => line.trim() !== '');
      resolve(
        why === undefined
          ? 'the command in its configuration does not start the server'
          : `the command in its configuration fails: ${singleLine(why)}`,
      );
    });
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
