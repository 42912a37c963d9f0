import { existsSync } from 'node:fs';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import type { Finding, Problem } from '../../feature.ts';
import { readRegularFile } from '../../regular-file.ts';
import { readEntry } from '../install/client-file.ts';
import { clients } from '../install/clients.ts';
import type { Terminal } from '../terminal/command.ts';
import { checkAgents } from './checks-agents.ts';
import { checkCodex } from './checks-codex.ts';
import { checkData } from './checks-data.ts';
import { checkDisks, checkFolders, checkPort, checkWatching } from './checks-machine.ts';
import { checkProviders } from './checks-providers.ts';
import { checkReach } from './client-reach.ts';

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
  { title: 'Watching files', perform: checkWatching },
  { title: 'Port', perform: ({ config }) => checkPort(config) },
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
