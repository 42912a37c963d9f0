import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LeftOut } from '../backup/secrets.ts';
import { type LoadedConfig, ownFolders } from '../config.ts';
import { owner } from '../context.ts';
import { openAudit, secretKinds } from '../feature-options.ts';
import { backupPlaces, folderSettings, isWithin } from './background/backup-places.ts';
import { recordChange } from './recorded-change.ts';
import { number, numberFlag, single, toggle } from './terminal/command.ts';
import type { Terminal } from './terminal/terminal.ts';
import { UsageError } from './terminal/usage-error.ts';

const settings = ['home', 'config', 'assistant.database_url', 'commands.dir', 'jsonl.dir', 'twig.dir'];

/** Writes everything that a home holds, except its runs, into one file. */
export const backup = single('backup', {
  summary: 'Write a backup of the home into one file',
  args: 'FILE',
  notes: { FILE: 'A new file, or a folder of backups' },
  flags: {
    keep: number('COUNT', 'With a folder: keep this many backups in it, and remove older ones'),
    'with-secrets': toggle('Include passwords, keys and the token of the owner'),
  },
  settings,
  examples: ['backup ~/monday.backup', 'backup ~/backups/ --keep 7'],
  async run({ loaded, flags, words, terminal }) {
    const [given = ''] = words;
    const keep = numberFlag(flags, 'keep');
    if (keep === 0) throw new UsageError('--keep must be at least 1');
    const isFolder =
      /[\\/]$/.test(given) || statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
    if (keep !== undefined && !isFolder)
      throw new UsageError('--keep needs a folder of backups: adjutant backup FOLDER/ --keep COUNT');
    const { datedBackup, keepBackups, writeBackup } = await import('../backup/backup.ts');
    const file = isFolder ? datedBackup(resolve(given)) : resolve(given);
    const places = backupPlaces(loaded, terminal);
    const withSecrets = flags['with-secrets'] === true;
    const write = () =>
      terminal.progress.during('starting', (show) => writeBackup(places, file, { withSecrets, show }));
    const manifest = withSecrets
      ? await recordChange(loaded.config, 'backup --with-secrets', file, write)
      : await write();
    const removed = keep === undefined ? [] : await keepBackups(resolve(given), keep);
    const leftOut = outside(loaded, terminal);
    terminal.report({ file, ...manifest, left_out: leftOut, removed }, () =>
      [
        `${file}: ${manifest.tables.reduce((sum, { rows }) => sum + rows, 0)} rows and ${manifest.files.length} files, checked.`,
        ...leftOut.map((folder) => `Not included, because it is outside of the home: ${folder}`),
        ...(manifest.with_secrets
          ? []
          : [
              'Passwords, keys, sign-ins and the token of the owner are not included; a restore lists those to set again.',
            ]),
        'Addresses of people and calendars are included, and some of them work like a password.',
      ].join('\n'),
    );
    return 0;
  },
});

/** Brings the home into the state of a backup. */
export const restore = single('restore', {
  summary: 'Restore a backup into an empty home, or replace one that has data',
  args: 'FILE',
  flags: { replace: toggle('Replace the present data, after a backup of it') },
  settings,
  changes: 'home',
  examples: ['restore ~/monday.backup', 'restore ~/monday.backup --replace'],
  async run({ loaded, flags, words, terminal }) {
    const [file = ''] = words;
    const { restoreBackup } = await import('../backup/restore.ts');
    const { manifest, copy, kept, missing, revoked } = await terminal.progress.during('starting', (show) =>
      restoreBackup(resolve(file), backupPlaces(loaded, terminal), {
        replace: flags['replace'] === true,
        copies: join(loaded.config['http.state_dir'], 'backups'),
        show,
      }),
    );
    const audit = openAudit(loaded.config);
    await audit.run(
      { actor: owner, action: 'restore', args: { id: manifest.created_at } },
      { work: async () => {}, outcome: () => ({ outcome: 'done' }) },
    );
    await audit.close();
    const again = missing.length === 0 ? [] : await renewals(missing, loaded.file);
    const facts = { created_at: manifest.created_at, replaced: copy, kept, again, revoked };
    terminal.report({ restored: file, ...facts }, () =>
      [
        `Restored the backup of ${manifest.created_at}.`,
        ...(copy === undefined ? [] : [`What was replaced is in ${copy}.`]),
        ...kept.map((path) => `What was replaced is damaged and is kept: ${path}`),
        ...(revoked.length === 0
          ? []
          : [
              `Not restored, because this home has revoked or replaced them, or never had them: ${revoked.join(', ')}. New ones: adjutant tokens create`,
            ]),
        ...(again.length === 0 ? [] : ['The backup is without secrets. To replace them:']),
        ...again.map((line) => `  ${line}`),
      ].join('\n'),
    );
    return 0;
  },
});

const ofFiles: Readonly<Record<string, string>> = {
  token: 'start a server, which creates a token of the owner, and give it to your clients: adjutant install',
  passwords: 'write the file with the passwords of calendars again (calendars.passwords_file)',
};

/** What a person does to replace the secrets that a restored backup left out. */
async function renewals(missing: readonly LeftOut[], settingsFile: string): Promise<readonly string[]> {
  const kinds = new Map((await secretKinds()).map((one) => [one.kind, one]));
  return missing.map(({ kind, name }) =>
    kind === 'setting'
      ? `set ${name} again in ${settingsFile}`
      : ((kind === 'file' ? ofFiles[name] : kinds.get(kind)?.renew(name)) ?? `${kind} ${name}`),
  );
}

/** Folders with prompts that a setting has moved out of the home. */
function outside({ config }: LoadedConfig, { env }: Pick<Terminal, 'env'>): readonly string[] {
  const own = ownFolders(config, env);
  return folderSettings
    .map((setting) => config[setting])
    .filter((folder) => !own.some((home) => isWithin(home, folder)));
}
