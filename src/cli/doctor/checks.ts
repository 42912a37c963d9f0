import { existsSync } from 'node:fs';
import { findPlaces, type LoadedConfig } from '../../config.ts';
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
import type { Finding } from './doctor.ts';

export interface Check {
  readonly title: string;
  perform(loaded: LoadedConfig, terminal: Terminal): Promise<readonly Finding[]> | readonly Finding[];
}

export const checks: readonly Check[] = [
  { title: 'Node', perform: () => [{ title: 'Node', state: 'good', detail: process.version }] },
  { title: 'Folders', perform: ({ config }) => checkFolders(config) },
  { title: 'Disk', perform: ({ config }) => checkDisks(config) },
  { title: 'Watching files', perform: checkWatching },
  { title: 'Port', perform: ({ config }) => checkPort(config) },
  { title: 'Delivery', perform: ({ config }) => checkProviders(config) },
  { title: 'Codex', perform: ({ config }) => checkCodex(config) },
  { title: 'Agents', perform: checkAgents },
  { title: 'Prompts and data', perform: checkData },
  { title: 'Clients', perform: checkClients },
];

async function checkClients(_: LoadedConfig, terminal: Terminal): Promise<readonly Finding[]> {
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
