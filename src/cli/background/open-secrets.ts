import { existsSync, statSync } from 'node:fs';
import {
  type LoadedConfig,
  ownFiles,
  secretFiles,
  settingsWithoutSecrets,
  withoutSecret,
} from '../../config.ts';
import type { Finding } from '../../feature.ts';
import { log } from '../../log.ts';
import { readRegularFile } from '../../regular-file.ts';
import { variableName } from '../../setting.ts';
import type { Terminal } from '../terminal/terminal.ts';

const title = 'Secrets';

/** Looks for secrets that other users of the machine can read. */
export async function checkSecrets(
  { config, origins }: LoadedConfig,
  { env }: Pick<Terminal, 'env'>,
): Promise<readonly Finding[]> {
  const [settingsFile] = ownFiles(config, env);
  const findings: Finding[] = [];
  for (const file of [settingsFile!, ...secretFiles(config, origins, env)]) {
    if (process.platform === 'win32' || !existsSync(file)) continue;
    const isOpen = (statSync(file).mode & 0o077) !== 0;
    // Container platforms mount secrets with such modes, where nobody else can enter.
    if (!isOpen || file.startsWith('/run/secrets/')) continue;
    if (file === settingsFile && !(await hasSecrets(file))) continue;
    findings.push({
      title,
      state: 'warning',
      detail: `other users can read ${file}, which contains secrets`,
      remedy: `chmod 600 ${file}`,
    });
  }
  for (const [name, value] of Object.entries(config)) {
    if (!origins[name]?.startsWith('flag ') || withoutSecret(name, value) === value) continue;
    findings.push({
      title,
      state: 'warning',
      detail: `other users see ${name} in the list of processes, because it is a flag`,
      remedy: `put it into ${settingsFile}, or name a file with it in ${variableName(name)}_FILE`,
    });
  }
  return findings.length > 0 ? findings : [{ title, state: 'good', detail: 'only you can read them' }];
}

async function hasSecrets(file: string): Promise<boolean> {
  const text = await readRegularFile(file);
  return (await settingsWithoutSecrets(text)).secrets.length > 0;
}

/** Warns at the start of a program that runs for long. */
export async function warnOfOpenSecrets(
  loaded: LoadedConfig,
  terminal: Pick<Terminal, 'env'>,
): Promise<void> {
  for (const { state, detail, remedy } of await checkSecrets(loaded, terminal))
    if (state !== 'good') log('warning', `${detail}; ${remedy}`);
}
