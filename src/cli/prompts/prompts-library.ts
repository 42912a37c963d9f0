import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ToolAnswer } from '../../api.ts';
import { replaceFile } from '../../atomic-file.ts';
import type { Problem } from '../../feature.ts';
import { wholeList } from '../../paging.ts';
import { decodeText, problemOf } from '../../prompts/files/file-cache.ts';
import { maxFileBytes, readRegularBytesSync, readRegularFileSync } from '../../regular-file.ts';
import { version } from '../../version.ts';
import {
  type Action,
  listFlag,
  several,
  text,
  textFlag,
  toggle,
  UsageError,
  type Use,
} from '../terminal/command.ts';
import { problemLine, type Show } from '../terminal/terminal.ts';
import { call, reportProblems } from './prompts-action.ts';

type Linted = Pick<ToolAnswer<'lint_prompts'>, 'prompts' | 'problems'>;

/** Subcommands for whole libraries: lint, import, export. */
export const libraryActions: Readonly<Record<string, Action>> = {
  lint: {
    summary: 'Check prompts for mistakes',
    args: '[PATH…]',
    flags: {
      format: text('FORMAT', 'Format of the files'),
      strict: toggle('Fail on warnings too'),
      notes: toggle('Show notes too, such as syntax that is plain text here'),
      sarif: toggle('Print a SARIF report'),
    },
    examples: ['prompts lint', 'prompts lint ~/prompts --strict'],
    async run(invocation) {
      if (invocation.words.length === 0 && textFlag(invocation.flags, 'format') !== undefined)
        throw new UsageError(
          'prompts lint takes --format only for files: adjutant prompts lint PATH --format FORMAT (for SARIF: --sarif)',
        );
      const results: Linted[] =
        invocation.words.length === 0 ? [await call(invocation, 'lint_prompts', wholeList)] : [];
      for (const path of invocation.words) results.push(await lintPath(invocation, path));
      const problems = results.flatMap((result) => result.problems);
      const prompts = results.reduce((sum, result) => sum + result.prompts, 0);
      const errors = problems.filter(({ severity }) => severity === 'error').length;
      const warnings = problems.filter(({ severity }) => severity === 'warning').length;
      const notes = problems.length - errors - warnings;
      const showsNotes = invocation.flags['notes'] === true;
      const shown = problems.filter(({ severity }) => showsNotes || severity !== 'note');
      const { terminal } = invocation;
      terminal.answer({ prompts, errors, warnings, notes, problems }, () =>
        invocation.flags['sarif'] === true
          ? sarifText(problems, process.cwd())
          : shown.map((problem) => problemLine(problem, terminal)).join(''),
      );
      const counts = [
        count(prompts, 'prompt'),
        count(errors, 'error'),
        count(warnings, 'warning'),
        ...(notes > 0 ? [`${count(notes, 'note')}${showsNotes ? '' : ' (shown with --notes)'}`] : []),
      ];
      terminal.hint(`${counts.join(', ')}\n`);
      return errors > 0 || (invocation.flags['strict'] === true && warnings > 0) ? 1 : 0;
    },
  },

  import: {
    summary: 'Import prompts of another program',
    args: 'FORMAT PATH',
    flags: {
      prefix: text('PREFIX', 'Prefix for every name'),
      replace: toggle('Replace prompts with the same name'),
      'dry-run': toggle('Show the changes without making them'),
    },
    examples: ['prompts import claude-code ~/.claude/commands', 'prompts import commands notes --dry-run'],
    async run(invocation) {
      const [name = '', path = ''] = invocation.words;
      const format = await formatOf(name);
      const {
        files,
        problems: unreadable,
        folder,
      } = await readFiles(invocation, path, (file) => format.accepts(file));
      if (files.length === 0 && unreadable.length === 0)
        throw new UsageError(`no ${format.title} found in ${path}`);
      const prefix = textFlag(invocation.flags, 'prefix');
      const result = await call(invocation, 'import_prompts', {
        format: format.name,
        files,
        replace: invocation.flags['replace'] === true,
        dry_run: invocation.flags['dry-run'] === true,
        full: true,
        ...(prefix !== undefined && { prefix }),
      });
      const problems = [...unreadable, ...withFolder(folder, result.problems)];
      const dry = invocation.flags['dry-run'] === true;
      invocation.terminal[dry ? 'answer' : 'report']({ imported: result.imported, problems }, () =>
        result.imported
          .map((one) => `${dry ? 'would ' : ''}${one.action} ${one.name} from ${join(folder, one.from)}\n`)
          .join(''),
      );
      reportProblems(invocation, problems);
      return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
    },
  },

  export: {
    summary: 'Export prompts as files of another program',
    args: 'FORMAT FOLDER [NAME…]',
    flags: {
      tag: several('TAG', 'Only prompts with this tag'),
      source: text('SOURCE', 'Only prompts from this source'),
      force: toggle('Overwrite existing files'),
      'dry-run': toggle('Show the changes without making them'),
    },
    examples: ['prompts export commands out', 'prompts export codex out greet letter'],
    async run(invocation) {
      const [name = '', folder = '', ...names] = invocation.words;
      const format = await formatOf(name);
      const [tag] = listFlag(invocation.flags, 'tag');
      const source = textFlag(invocation.flags, 'source');
      const { files, problems } = await call(invocation, 'export_prompts', {
        format: format.name,
        ...(names.length > 0 && { names }),
        ...(tag !== undefined && { tag }),
        ...(source !== undefined && { source }),
        ...wholeList,
      });
      const dry = invocation.flags['dry-run'] === true;
      const written = dry
        ? files.map(({ path }) => ({ path, state: 'written' as const }))
        : await invocation.terminal.progress.during('writing', (show) =>
            writePromptFiles(folder, files, invocation.flags['force'] === true, show),
          );
      const refused = written.filter(({ state }) => state === 'refused');
      const all: Problem[] = [
        ...problems,
        ...refused.map(({ path }) => ({
          file: join(folder, path),
          severity: 'error' as const,
          message: 'the file exists with other content; --force overwrites it',
        })),
      ];
      invocation.terminal[dry ? 'answer' : 'report']({ files: written, problems: all }, () =>
        written
          .filter(({ state }) => state !== 'refused')
          .map(({ path, state }) => `${dry ? 'would be ' : ''}${state} ${join(folder, path)}\n`)
          .join(''),
      );
      reportProblems(invocation, all);
      return all.some(({ severity }) => severity === 'error') ? 1 : 0;
    },
  },
};

async function formatOf(name: string) {
  const { formatNamed } = await import('../../prompts/formats/formats.ts');
  try {
    return await formatNamed(name);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function lintPath(invocation: Use, path: string): Promise<Linted> {
  const { formatOfFolder, loadFormats } = await import('../../prompts/formats/formats.ts');
  const named = textFlag(invocation.flags, 'format');
  const format = named === undefined ? await formatOfFolder(path) : await formatOf(named);
  const endings = (await loadFormats()).flatMap((one) => one.endings);
  const { folder, files, problems } = await readFiles(invocation, path, (file) =>
    format ? format.accepts(file) : endings.some((ending) => file.toLowerCase().endsWith(ending)),
  );
  const result = await call(invocation, 'lint_prompts', {
    files,
    ...(format !== undefined && { format: format.name }),
    ...wholeList,
  });
  if (result.prompts === 0 && result.problems.length === 0 && problems.length === 0)
    throw new UsageError(`no prompts found in ${path}`);
  return { prompts: result.prompts, problems: [...problems, ...withFolder(folder, result.problems)] };
}

function readFiles({ terminal }: Use, path: string, accepts: (path: string) => boolean) {
  return terminal.progress.during('reading', (show) => readPromptFiles(path, accepts, show));
}

function withFolder(folder: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, file: join(folder, problem.file) }));
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** Findings in the format SARIF 2.1.0, which code hosts show beside the changed lines. */
function sarifText(problems: readonly Problem[], folder: string): string {
  const rules = [...new Set(problems.map(ruleOf))].sort();
  return `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'adjutant', version, rules: rules.map((id) => ({ id })) } },
          results: problems.map((problem) => ({
            ruleId: ruleOf(problem),
            level: problem.severity,
            message: { text: problem.message },
            locations: [{ physicalLocation: locationOf(problem, folder) }],
          })),
        },
      ],
    },
    null,
    2,
  )}\n`;
}

function ruleOf({ rule = 'invalid-file' }: Problem): string {
  return rule;
}

function locationOf({ file, line, column }: Problem, folder: string): object {
  const path = relative(folder, file).split(sep).join('/');
  return {
    artifactLocation: { uri: encodeURI(path) },
    ...(line !== undefined && {
      region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
    }),
  };
}

interface PromptFiles {
  /** Folder that the paths are relative to. */
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files that could not be read. */
  readonly problems: readonly Problem[];
}

const maxBytes = 16 * 1024 * 1024;
const maxFiles = 200_000;
const maxDepth = 12;
const ignoredFolders = new Set(['node_modules', '.git']);

/** Reads one file, or the text files of a folder that can hold prompts. Links that lead out of the folder are rejected. */
async function readPromptFiles(
  path: string,
  accepts: (path: string) => boolean,
  show: Show,
): Promise<PromptFiles> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`${path} does not exist`);
  const folder = stat.isDirectory() ? path : dirname(path);
  const names = stat.isDirectory() ? walk(folder).filter(accepts) : [basename(path)];
  const problems: Problem[] = [];
  const files: { path: string; text: string }[] = [];
  await eachWithProgress(names, 'read', show, (name) => {
    try {
      files.push({ path: name, text: readText(folder, name) });
    } catch (error) {
      problems.push(problemOf(join(folder, name), error));
    }
  });
  return { folder, files, problems };
}

function readText(folder: string, name: string): string {
  const file = join(folder, name);
  const root = realpathSync(folder);
  if (!realpathSync(file).startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error('the symbolic link points outside the folder');
  if (statSync(file).size > maxBytes) throw new Error(`the file is larger than ${maxBytes / 1024 / 1024} MB`);
  return decodeText(readRegularBytesSync(file, maxBytes));
}

function walk(folder: string): string[] {
  const names: string[] = [];
  const visit = (inner: string, depth: number) => {
    const entries = readdirSync(join(folder, inner), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (names.length >= maxFiles) return;
      if (!entry.isDirectory()) names.push(name);
      else if (depth < maxDepth && !ignoredFolders.has(entry.name)) visit(name, depth + 1);
    }
  };
  visit('', 0);
  return names;
}

interface Written {
  readonly path: string;
  readonly state: 'written' | 'unchanged' | 'refused';
}

/** Writes files into a folder, each one atomically. An existing file with other content is replaced only with `force`. */
async function writePromptFiles(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
  force: boolean,
  show: Show,
): Promise<readonly Written[]> {
  const root = resolve(folder);
  const written: Written[] = [];
  await eachWithProgress(files, 'written', show, ({ path, text }) => {
    const file = resolve(root, path);
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new Error(`${path} is outside ${folder}`);
    written.push({ path, state: writeText(file, text, force) });
  });
  return written;
}

function writeText(file: string, text: string, force: boolean): Written['state'] {
  const existing = existsSync(file) ? readRegularFileSync(file, maxFileBytes) : undefined;
  if (existing === text) return 'unchanged';
  if (existing !== undefined && !force) return 'refused';
  replaceFile(file, text, 0o666);
  return 'written';
}

/** Handles items one by one and shows the progress. Pauses regularly, so that Ctrl-C works. */
async function eachWithProgress<Item>(
  items: readonly Item[],
  done: string,
  show: Show,
  handle: (item: Item) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    handle(item);
    if (index % 100 !== 99) continue;
    show(`${index + 1} of ${items.length} files ${done}`, index + 1, items.length);
    await setImmediate();
  }
}
