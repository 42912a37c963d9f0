import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { withTable } from '../../config.ts';
import { promptRepositories } from '../../feature-options.ts';
import { wholeList } from '../../paging.ts';
import { mountable } from '../../prompts/formats/formats.ts';
import type { NewSource } from '../../prompts/mounts/new-source.ts';
import { changeSettingsFile } from '../install/settings-file.ts';
import { type Action, text, textFlag, toggle, UsageError, type Use } from '../terminal/command.ts';
import { call, reportProblems } from './prompts-action.ts';

type Repositories = Parameters<typeof import('../../prompts/mounts/new-source.ts').sourcesInRepository>[2];
type Mounts = Parameters<typeof import('../../prompts/mounts/new-source.ts').sourcesInFolder>[2];

const shownNames = 8;
const isAddress = (what: string) => /^(?:[a-z]+:\/\/|[\w.-]+@[\w.-]+:)/i.test(what);

export const add: Action = {
  summary: 'Serve the prompts of a folder, a file or a git repository',
  args: 'PATH|ADDRESS',
  notes: {
    'PATH|ADDRESS': 'a folder, a file, or an address such as https://example.org/team/prompts.git',
  },
  flags: {
    format: text('FORMAT', 'Format of the files, if it is not recognized'),
    prefix: text('PREFIX', 'Prefix for every name'),
    folder: text('FOLDER', 'Folder of the repository that has the prompts'),
    branch: text('BRANCH', 'Branch of the repository'),
    credentials: text('HOW', 'For a private repository: helper asks your own git credential helper'),
    'token-file': text('FILE', 'For a private repository: the file with a token for its host'),
    'dry-run': toggle('Show what would be served, and change nothing'),
  },
  changes: 'files',
  examples: ['prompts add ~/notes/prompts', 'prompts add https://example.org/team/prompts.git'],
  async run(use) {
    const [what = ''] = use.words;
    const flag = (name: string) => textFlag(use.flags, name);
    const choice = { format: flag('format'), prefix: flag('prefix') };
    const { format } = choice;
    if (format !== undefined && format !== 'libraries' && !mountable.includes(format))
      throw new UsageError(`unknown format "${format}"\n  One of ${mountable.join(', ')}`);
    const { sourceOfFile, sourcesInFolder, sourcesInRepository } = await import(
      '../../prompts/mounts/new-source.ts'
    );
    if (isAddress(what)) {
      const options = repositoryOptions(use, what);
      const known = use.config['prompts.repositories'] as Repositories;
      const { git } = repositoriesWith(use, [options]);
      const look = () => sourcesInRepository(options, git, known);
      return finish(use, await use.terminal.progress.during('fetching', look));
    }
    const own = ['folder', 'branch', 'credentials', 'token-file'].filter((name) => flag(name) !== undefined);
    if (own.length > 0) throw new UsageError(`--${own[0]} is for the address of a repository`);
    const path = resolve(what);
    if (!existsSync(path)) throw missing(what);
    const mounts = use.config['prompts.mounts'] as Mounts;
    if (statSync(path).isDirectory()) return finish(use, await sourcesInFolder(path, choice, mounts));
    const source = await sourceOfFile(path, choice, mounts);
    if (source !== undefined) return finish(use, [source]);
    if (!/\.(?:md|txt)$/.test(path))
      throw new UsageError(
        `"${what}" is in no format that Adjutant reads\n  --format names one of ${mountable.join(', ')}`,
      );
    return addCommand(use, path);
  },
};

/** Copies a single file into the folder of commands. */
async function addCommand(use: Use, path: string): Promise<number> {
  const { terminal, config } = use;
  const { commandFromFile } = await import('../../prompts/mounts/new-source.ts');
  const { name, text: content, isConverted } = await commandFromFile(path);
  const file = join(config['commands.dir'], `${name}.md`);
  if (existsSync(file)) throw new UsageError(`${file} exists; rename one of the files`);
  if (use.flags['dry-run'] === true) {
    terminal.answer({ file, dry_run: true, text: content }, `Would write ${file}:\n\n${content}`);
    return 0;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { flag: 'wx' });
  const { problems } = await call(use, 'lint_prompts', { names: [name], ...wholeList });
  const verb = isConverted ? 'Converted' : 'Copied';
  terminal.report(
    { file, dry_run: false, problems },
    `✓ ${verb} to ${file}\n  Try it: adjutant prompts show ${name}`,
  );
  reportProblems(use, problems);
  return 0;
}

function missing(what: string): UsageError {
  const name = /^[\w-]+$/.test(what) ? what : 'NAME';
  return new UsageError(
    `there is no file or folder "${what}"\n  A repository is added by its whole address, such as https://github.com/OWNER/NAME.git\n  To write a prompt: adjutant prompts create ${name}`,
  );
}

function repositoryOptions({ flags }: Use, address: string): Repositories[number] {
  const credentials = textFlag(flags, 'credentials');
  if (credentials !== undefined && credentials !== 'helper')
    throw new UsageError(`--credentials takes helper, not "${credentials}"`);
  const given = ['format', 'prefix', 'folder', 'branch'].flatMap((name) => {
    const value = textFlag(flags, name);
    return value === undefined ? [] : [[name, value]];
  });
  const tokenFile = textFlag(flags, 'token-file');
  return {
    address,
    ...Object.fromEntries(given),
    ...(credentials !== undefined && { credentials }),
    ...(tokenFile !== undefined && { token_file: resolve(tokenFile) }),
  };
}

/** The configured repositories and some that are not in the settings yet. */
function repositoriesWith({ config, terminal }: Use, added: Repositories) {
  const list = [...(config['prompts.repositories'] as Repositories), ...added];
  return promptRepositories({ ...config, 'prompts.repositories': list as never }, terminal.env).repositories!;
}

/** Adds the sources to the settings, and fetches repositories to where they are served from. */
async function finish(use: Use, found: readonly NewSource[]): Promise<number> {
  const { terminal, loaded } = use;
  if (found.every(({ prompts }) => prompts.length === 0))
    throw new Error(
      `no prompts were found in ${found[0]!.place}; --format names their format: ${mountable.join(', ')}`,
    );
  const isDryRun = use.flags['dry-run'] === true;
  if (!isDryRun) {
    await changeSettingsFile(loaded.file, async (settings) => {
      let changed = settings;
      for (const { setting, entry } of found) changed = await withTable(changed, setting, { ...entry });
      return changed;
    });
    await fetchRepositories(use, found);
  }
  const sources = found.map(({ entry, prompts, errors }) => ({ ...entry, prompts, errors }));
  terminal[isDryRun ? 'answer' : 'report']({ file: loaded.file, dry_run: isDryRun, sources }, () =>
    describe(found, loaded.file, isDryRun),
  );
  return 0;
}

async function fetchRepositories(use: Use, found: readonly NewSource[]): Promise<void> {
  const added = found.flatMap(({ setting, entry }) =>
    setting === 'prompts.repositories' ? [entry as Repositories[number]] : [],
  );
  if (added.length === 0) return;
  const { fetchAdded } = await import('../../prompts/mounts/new-source.ts');
  const { list, folder, git } = repositoriesWith(use, added);
  await use.terminal.progress.during('fetching', () => fetchAdded(folder, list, added.length, git));
}

function describe(found: readonly NewSource[], file: string, isDryRun: boolean): string {
  const lines = found.flatMap(({ title, place, prompts, errors }) => {
    const names = prompts.slice(0, shownNames).join(', ');
    const more = prompts.length > shownNames ? ` and ${prompts.length - shownNames} more` : '';
    const unserved = `${errors} ${errors === 1 ? 'file' : 'files'} cannot be served`;
    return [
      `${isDryRun ? '' : '✓ '}${prompts.length} ${prompts.length === 1 ? 'prompt' : 'prompts'} (${title}) in ${place}`,
      `  ${names}${more}`,
      ...(errors > 0 ? [`! ${unserved}; adjutant prompts lint says why`] : []),
    ];
  });
  const [first] = found.flatMap(({ prompts }) => prompts);
  const end = isDryRun
    ? ['Dry run: nothing was changed.']
    : [
        `  Written to ${file}. Servers that are running serve them after a restart.`,
        `  Try one: adjutant prompts show ${first}`,
      ];
  return [...lines, ...end].join('\n');
}
