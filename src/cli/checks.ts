import { execFile } from 'node:child_process';
import { accessSync, constants, promises as disk, existsSync } from 'node:fs';
import { createServer as createListener } from 'node:net';
import { dirname, join } from 'node:path';
import { createServer } from '../app.ts';
import { type LoadedConfig, placesOf } from '../config.ts';
import { isObject, messageOf } from '../json.ts';
import { connectMemory } from '../transports/memory.ts';
import { readEntry } from './client-file.ts';
import { checkReach } from './client-reach.ts';
import { clients } from './clients.ts';
import type { Terminal } from './command.ts';
import type { Finding } from './doctor.ts';

export interface Check {
  readonly title: string;
  perform(loaded: LoadedConfig, terminal: Terminal): Promise<readonly Finding[]> | readonly Finding[];
}

export const checks: readonly Check[] = [
  { title: 'Node', perform: () => [{ title: 'Node', state: 'good', detail: process.version }] },
  { title: 'Folders', perform: ({ config }) => folders(config) },
  { title: 'Watching files', perform: watching },
  { title: 'Port', perform: ({ config }) => port(config['http.host'], config['http.port']) },
  { title: 'Codex', perform: codex },
  { title: 'Prompts and data', perform: problems },
  { title: 'Clients', perform: reach },
];

function folders(config: LoadedConfig['config']): readonly Finding[] {
  const named = Object.entries(config).filter(
    (entry): entry is [string, string] => /(_|\.)dir$/.test(entry[0]) && typeof entry[1] === 'string',
  );
  const wrong = named.flatMap(([name, folder]): Finding[] => {
    const nearestFolder = existing(folder);
    try {
      accessSync(nearestFolder, constants.R_OK | constants.W_OK | constants.X_OK);
      return [];
    } catch {
      const remedy = `make ${nearestFolder} writable for you, or choose another folder with the setting ${name}`;
      return [{ title: 'Folders', state: 'bad', detail: `${folder} (${name}) cannot be written`, remedy }];
    }
  });
  return wrong.length > 0
    ? wrong
    : [{ title: 'Folders', state: 'good', detail: `${named.length} folders can be written` }];
}

/** The folder itself or the nearest one above it that is there. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

async function watching(): Promise<readonly Finding[]> {
  if (process.platform !== 'linux')
    return [{ title: 'Watching files', state: 'good', detail: 'by the system' }];
  const watches = Number(await disk.readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  const detail = `${watches} watches allowed`;
  return watches >= 8192
    ? [{ title: 'Watching files', state: 'good', detail }]
    : [
        {
          title: 'Watching files',
          state: 'warning',
          detail,
          remedy: 'raise fs.inotify.max_user_watches; until then changes are found by polling',
        },
      ];
}

async function port(host: string, number: number): Promise<readonly Finding[]> {
  const free = await new Promise<boolean>((resolve) => {
    const probe = createListener();
    probe.once('error', () => resolve(false));
    probe.listen(number, host, () => probe.close(() => resolve(true)));
  });
  if (free) return [{ title: 'Port', state: 'good', detail: `${number} on ${host} is free` }];
  const ours = await fetch(`http://${host}:${number}/`).then(
    (page) => page.text(),
    () => '',
  );
  return ours.includes('<title>Adjutant</title>')
    ? [{ title: 'Port', state: 'good', detail: `${number} on ${host}: Adjutant is running` }]
    : [
        {
          title: 'Port',
          state: 'warning',
          detail: `${number} on ${host} is taken by another program`,
          remedy: 'choose another with --port',
        },
      ];
}

async function codex({ config }: LoadedConfig): Promise<readonly Finding[]> {
  const command = config['delegate.command'] ?? 'codex';
  const version = await output(command, ['--version']);
  if (version === undefined) {
    return [
      {
        title: 'Codex',
        state: 'warning',
        detail: `${command} does not start; sub-agents cannot run`,
        remedy: 'npm install -g @openai/codex',
      },
    ];
  }
  const findings: Finding[] = [{ title: 'Codex', state: 'good', detail: version.trim() }];
  const loggedIn = existsSync(join(config['delegate.codex_home'], 'auth.json'));
  findings.push(
    loggedIn
      ? { title: 'Codex login', state: 'good', detail: 'signed in' }
      : {
          title: 'Codex login',
          state: 'warning',
          detail: 'no login found',
          remedy: 'run codex login, or configure a model provider with a key of its own',
        },
  );
  const sandboxed = await output(command, ['sandbox', '--', 'true']);
  findings.push(
    sandboxed === undefined
      ? {
          title: 'Codex sandbox',
          state: 'warning',
          detail: 'sandboxed commands fail here',
          remedy:
            'allow unprivileged user namespaces (kernel.apparmor_restrict_unprivileged_userns=0), see docs/troubleshooting.md',
        }
      : { title: 'Codex sandbox', state: 'good', detail: 'works' },
  );
  return findings;
}

function output(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: 15_000 }, (error, stdout) => resolve(error ? undefined : stdout));
  });
}

/** What the server itself finds wrong with the files and the database it is given. */
async function problems({ config, origins }: LoadedConfig): Promise<readonly Finding[]> {
  const server = createServer('standard', config, { origins });
  try {
    const { structuredContent } = await connectMemory(server).request('tools/call', {
      name: 'server_status',
      arguments: {},
    });
    const found =
      isObject(structuredContent) && Array.isArray(structuredContent['problems'])
        ? structuredContent['problems']
        : [];
    if (found.length === 0)
      return [{ title: 'Prompts and data', state: 'good', detail: 'nothing is broken' }];
    return found.map(({ file, line, severity, message }) => ({
      title: 'Prompts and data',
      state: severity === 'error' ? 'bad' : 'warning',
      detail: `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
    }));
  } catch (error) {
    return [{ title: 'Prompts and data', state: 'bad', detail: messageOf(error) }];
  } finally {
    await server.close();
  }
}

async function reach(_: LoadedConfig, terminal: Terminal): Promise<readonly Finding[]> {
  const places = placesOf(terminal.env);
  const findings: Finding[] = [];
  for (const client of clients) {
    const file = client.file(places, process.platform);
    if (!existsSync(file)) continue;
    const entry = await readEntry(await disk.readFile(file, 'utf8'), file, client);
    if (entry !== undefined) findings.push(await checkReach(client, entry, terminal));
  }
  const none: Finding = {
    title: 'Clients',
    state: 'warning',
    detail: 'no client has Adjutant yet',
    remedy: 'adjutant install codex (or claude, cursor, vscode, gemini, zed)',
  };
  return findings.length > 0 ? findings : [none];
}
