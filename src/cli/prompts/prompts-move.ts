import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { promptRepositories } from '../../feature-options.ts';
import { messageOf } from '../../json.ts';
import { localRepositories } from '../../prompts/mounts/local-repository.ts';
import { version } from '../../version.ts';
import { type Action, toggle, UsageError } from '../terminal/command.ts';

interface Moved {
  readonly from: string;
  readonly to: string;
  readonly copied: readonly string[];
  /** Names that exist in the target already. */
  readonly kept: readonly string[];
}

/** Copies the prompts of a program that Adjutant can replace to Adjutant's own folder. The originals stay as they are. */
export const move: Action = {
  summary: 'Copy the prompts of a program that Adjutant replaces',
  args: 'PROGRAM',
  notes: { PROGRAM: 'hexai or twig' },
  flags: { 'dry-run': toggle('Show the changes without making them') },
  changes: 'files',
  examples: ['prompts move hexai --dry-run', 'prompts move twig'],
  async run({ terminal, config, flags, words: [program] }) {
    if (program !== 'hexai' && program !== 'twig')
      throw new UsageError(`prompts of "${program}" cannot be moved, only those of hexai and twig`);
    const from = config[`originals.${program}_dir`];
    if (from === undefined || !existsSync(from))
      throw new Error(
        `${program} has no prompts${from === undefined ? ' with --home' : `: ${from} does not exist`}`,
      );
    const isDryRun = flags['dry-run'] === true;
    const moved = await (program === 'hexai' ? moveHexai : moveTwig)(from, config, isDryRun);
    const what = program === 'hexai' ? 'prompt' : 'folder';
    const count = `${moved.copied.length} ${what}${moved.copied.length === 1 ? '' : 's'}`;
    const others = config['originals.read'].filter((name) => name !== program);
    terminal.report(
      { program, dry_run: isDryRun, ...moved },
      [
        `${isDryRun ? 'Would copy' : 'Copied'} ${count} from ${moved.from} to ${moved.to}${moved.copied.length > 0 ? `: ${moved.copied.join(', ')}` : ''}.`,
        ...(moved.kept.length > 0
          ? [`Not copied, because the name exists there: ${moved.kept.join(', ')}.`]
          : []),
        `The files of ${program} are unchanged. To stop reading them, set originals.read = ${JSON.stringify(others)} in adjutant.toml.`,
      ].join('\n'),
    );
    return 0;
  },
};

/** Copies the prompts with their history. */
async function moveHexai(from: string, config: Config, isDryRun: boolean): Promise<Moved> {
  const { isPostgres } = await import('../../store/store.ts');
  const { copyPrompts, openOwnPrompts } = await import('../../prompts/jsonl/copy-prompts.ts');
  const url = config['assistant.database_url'];
  const folder = config['jsonl.dir'];
  const source = openOwnPrompts(from);
  const target = openOwnPrompts(folder, url);
  try {
    const [theirs, ours] = [namesOf(await source.list()), new Set(namesOf(await target.list()))];
    const missing = theirs.filter((name) => !ours.has(name));
    if (!isDryRun) await copyPrompts(source, target, { name: 'adjutant prompts move', version }, ours);
    const to = isPostgres(url) ? 'the database' : folder;
    return { from, to, copied: missing, kept: theirs.filter((name) => ours.has(name)) };
  } finally {
    source.close();
    target.close();
  }
}

/** Copies each library as a whole. */
async function moveTwig(from: string, config: Config, isDryRun: boolean): Promise<Moved> {
  const to = config['twig.dir'];
  const libraries = readdirSync(from, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
  const missing = libraries.filter((name) => !existsSync(join(to, name)));
  if (!isDryRun && missing.length > 0) {
    mkdirSync(to, { recursive: true, mode: 0o700 });
    for (const name of missing) cpSync(join(from, name), join(to, name), { recursive: true });
  }
  return { from, to, copied: missing, kept: libraries.filter((name) => !missing.includes(name)) };
}

function namesOf(prompts: readonly { readonly name: string }[]): string[] {
  return prompts.map(({ name }) => name);
}

/** Updates the repositories of `prompts.repositories`, or only those that are named. */
export const pull: Action = {
  summary: 'Update the repositories of the settings',
  args: '[NAME…]',
  changes: 'files',
  examples: ['prompts pull', 'prompts pull team'],
  async run({ terminal, config, words: rest }) {
    const { repositories } = promptRepositories(config, terminal.env);
    if (repositories === undefined)
      throw new UsageError('No repository is configured; add one to prompts.repositories in adjutant.toml.');
    const all = localRepositories(repositories.folder, repositories.list);
    for (const name of rest)
      if (!all.some((one) => one.name === name))
        throw new UsageError(`Unknown repository ${name}; known: ${all.map((one) => one.name).join(', ')}`);
    const { pullRepository } = await import('../../prompts/mounts/repository-pull.ts');
    const results = [];
    for (const repository of all) {
      if (rest.length > 0 && !rest.includes(repository.name)) continue;
      try {
        results.push(await pullRepository(repository, repositories.git));
      } catch (error) {
        results.push({ name: repository.name, error: messageOf(error) });
      }
    }
    const lines = results.map((result) =>
      'error' in result
        ? result.error
        : `${result.name}: ${result.commit.slice(0, 7)} ${result.changed ? '(updated)' : '(unchanged)'}`,
    );
    terminal.report({ repositories: results }, lines.join('\n'));
    return results.some((result) => 'error' in result) ? 1 : 0;
  },
};
