import { join } from 'node:path';
import type { ToolAnswer } from '../../api.ts';
import type { Problem } from '../../feature.ts';
import { wholeList } from '../../paging.ts';
import { UsageError } from '../terminal/command.ts';
import { problemLine } from '../terminal/problem-lines.ts';
import { readPromptFiles, writePromptFiles } from './prompt-files.ts';
import { type Action, call, type Invocation, listFlag, reportProblems, textFlag } from './prompts-action.ts';
import { sarifText } from './sarif.ts';

type Linted = Pick<ToolAnswer<'lint_prompts'>, 'prompts' | 'problems'>;

/** Subcommands for whole libraries: lint, import, export. */
export const libraryActions: Readonly<Record<string, Action>> = {
  async lint(invocation) {
    if (invocation.rest.length === 0 && textFlag(invocation, 'format') !== undefined)
      throw new UsageError(
        'prompts lint takes --format only for files: adjutant prompts lint PATH --format FORMAT (for SARIF: --sarif)',
      );
    const results: Linted[] =
      invocation.rest.length === 0 ? [await call(invocation, 'lint_prompts', wholeList)] : [];
    for (const path of invocation.rest) results.push(await lintPath(invocation, path));
    const problems = results.flatMap((result) => result.problems);
    const prompts = results.reduce((sum, result) => sum + result.prompts, 0);
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    const warnings = problems.length - errors;
    const { terminal } = invocation;
    terminal.answer({ prompts, errors, warnings, problems }, () =>
      invocation.flags['sarif'] === true
        ? sarifText(problems, process.cwd())
        : problems.map((problem) => problemLine(problem, terminal)).join(''),
    );
    terminal.hint(`${count(prompts, 'prompt')}, ${count(errors, 'error')}, ${count(warnings, 'warning')}\n`);
    return errors > 0 || (invocation.flags['strict'] === true && warnings > 0) ? 1 : 0;
  },

  async import(invocation) {
    const [name, path, ...more] = invocation.rest;
    if (name === undefined || path === undefined || more.length > 0)
      throw new UsageError('prompts import needs a format and a path: adjutant prompts import FORMAT PATH');
    const format = await formatOf(name);
    const {
      files,
      problems: unreadable,
      folder,
    } = await readFiles(invocation, path, (file) => format.accepts(file));
    if (files.length === 0 && unreadable.length === 0)
      throw new UsageError(`no ${format.title} found in ${path}`);
    const prefix = textFlag(invocation, 'prefix');
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

  async export(invocation) {
    const [name, folder, ...names] = invocation.rest;
    if (name === undefined || folder === undefined)
      throw new UsageError(
        'prompts export needs a format and a folder: adjutant prompts export FORMAT FOLDER [NAME …]',
      );
    const format = await formatOf(name);
    const [tag] = listFlag(invocation, 'tag');
    const source = textFlag(invocation, 'source');
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
};

async function formatOf(name: string) {
  const { formatNamed } = await import('../../prompts/formats/formats.ts');
  try {
    return await formatNamed(name);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function lintPath(invocation: Invocation, path: string): Promise<Linted> {
  const { formatOfFolder, loadFormats } = await import('../../prompts/formats/formats.ts');
  const named = textFlag(invocation, 'format');
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

function readFiles({ terminal }: Invocation, path: string, accepts: (path: string) => boolean) {
  return terminal.progress.during('reading', (show) => readPromptFiles(path, accepts, show));
}

function withFolder(folder: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, file: join(folder, problem.file) }));
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
