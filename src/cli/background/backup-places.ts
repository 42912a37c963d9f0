import { isAbsolute, join, relative, resolve } from 'node:path';
import type { BackupPlaces } from '../../backup/backup.ts';
import {
  type LoadedConfig,
  ownFiles,
  ownFolders,
  settingsWithoutSecrets,
  settingsWithSecretsOf,
} from '../../config.ts';
import { localDatabase, secretKinds } from '../../feature-options.ts';
import type { Terminal } from '../terminal/terminal.ts';

const roots = { prompts: 'jsonl.dir', commands: 'commands.dir', libraries: 'twig.dir' } as const;
/** The settings of the folders that a backup holds. */
export const folderSettings = Object.values(roots);

/** Where the parts of a backup are. */
export function backupPlaces({ config }: LoadedConfig, { env }: Pick<Terminal, 'env'>): BackupPlaces {
  const own = ownFolders(config, env);
  const [settingsFile, token] = ownFiles(config, env);
  const folders = Object.entries(roots).map(([root, setting]) => [root, config[setting]] as const);
  return {
    databaseUrl: config['assistant.database_url'],
    localFile: localDatabase(config),
    folders: {
      ...Object.fromEntries(folders.filter(([, folder]) => own.some((home) => isWithin(home, folder)))),
      tokens: join(config['http.state_dir'], 'tokens'),
    },
    settingsFile: settingsFile!,
    secretFiles: { token: token!, passwords: config['calendars.passwords_file'] },
    async lockPrompts(read) {
      const { FileLock } = await import('../../prompts/jsonl/file-lock.ts');
      const lock = new FileLock(join(config['jsonl.dir'], '.lock'));
      try {
        return await lock.run(async () => read());
      } finally {
        lock.close();
      }
    },
    withoutSecrets: settingsWithoutSecrets,
    withSecretsOf: settingsWithSecretsOf,
    secretKinds,
  };
}

/** True if the path is the folder or below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return !way.startsWith('..') && !isAbsolute(way);
}
