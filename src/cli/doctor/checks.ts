import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import type { Finding, Problem } from '../../feature.ts';
import { readRegularFile } from '../../regular-file.ts';
import { singleLine } from '../../single-line.ts';
import { checkSecrets } from '../background/open-secrets.ts';
import { type ParsedEntry, parseEntry } from '../install/client-entry.ts';
import { readEntry } from '../install/client-file.ts';
import { type Client, clients } from '../install/clients.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkAgents, checkCodex } from './checks-agents.ts';
import { checkBackups } from './checks-backup.ts';
import { checkData } from './checks-data.ts';
import { checkDisks, checkFolders, checkPort, checkRuns, checkWatching } from './checks-machine.ts';
import { checkProviders } from './checks-providers.ts';

interface Check {
  readonly title: string;
  perform(
    loaded: LoadedConfig,
    terminal: Environment,
    problems?: readonly Problem[],
  ): Promise<readonly Finding[]>;
}

type Environment = Pick<Terminal, 'env'>;

export const checks: readonly Check[] = [
  { title: 'Node', perform: async () => [{ title: 'Node', state: 'good', detail: process.version }] },
  { title: 'Folders', perform: async ({ config }) => checkFolders(config) },
  { title: 'Disk', perform: ({ config }) => checkDisks(config) },
  { title: 'Secrets', perform: checkSecrets },
  { title: 'Runs', perform: ({ config }) => checkRuns(config) },
  { title: 'Watching files', perform: checkWatching },
  { title: 'Port', perform: ({ config }) => checkPort(config) },
  { title: 'Backups', perform: ({ config }) => checkBackups(config) },
  { title: 'Delivery', perform: ({ config }) => checkProviders(config) },
  { title: 'Codex', perform: ({ config }, terminal) => checkCodex(config, terminal) },
  { title: 'Agents', perform: checkAgents },
  { title: 'Prompts and data', perform: (loaded, _, problems) => checkData(loaded, problems) },
  { title: 'Clients', perform: checkClients },
];

/**
 * Performs all checks in order. `report` is called before each one and with what it found. A running server passes the
 * problems that its features report.
 */
export async function runChecks(
  loaded: LoadedConfig,
  terminal: Environment,
  report: (check: Check, done: number, found: readonly Finding[]) => void = () => {},
  problems?: readonly Problem[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [done, check] of checks.entries()) {
    report(check, done, []);
    const found = await perform(check, loaded, terminal, problems);
    report(check, done, found);
    findings.push(...found);
  }
  return findings;
}

/** Turns an error in a check into a finding. */
async function perform(check: Check, ...args: Parameters<Check['perform']>): Promise<readonly Finding[]> {
  try {
    return await check.perform(...args);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ title: check.title, state: 'bad', detail }];
  }
}

async function checkClients(_: LoadedConfig, terminal: Environment): Promise<readonly Finding[]> {
  const places = findPlaces(terminal.env);
  const findings: Finding[] = [];
  for (const client of clients) {
    const file = client.file(places, process.platform);
    if (!existsSync(file)) continue;
    const entry = await readEntry(await readRegularFile(file), file, client);
    if (entry !== undefined) findings.push(await checkReach(client, entry, terminal));
  }
  const none: Finding = {
    title: 'Clients',
    state: 'warning',
    detail: 'Adjutant is not installed in any client',
    remedy: `run adjutant install CLIENT (${clients.map(({ id }) => id).join(', ')})`,
  };
  return findings.length > 0 ? findings : [none];
}

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
async function checkReach(
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
