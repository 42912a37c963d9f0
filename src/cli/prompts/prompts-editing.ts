import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { wholeList } from '../../paging.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';
import { problemLine, type Terminal } from '../terminal/terminal.ts';
import {
  type Action,
  call,
  type Invocation,
  listFlag,
  nameOf,
  readAll,
  reportProblems,
  textFlag,
} from './prompts-action.ts';

/** Subcommands for editing: create, edit, delete, restore. */
export const editingActions: Readonly<Record<string, Action>> = {
  async create(invocation) {
    const name = nameOf(invocation, 'create');
    if (!/^[A-Za-z0-9_]{1,200}$/.test(name))
      throw new UsageError(`"${name}" is not a valid name; use letters, digits and underscores`);
    const entered = await newText(invocation, name);
    if (entered === undefined) throw new UsageError('the text is empty, so no prompt was created');
    const text = /^---\r?\n/.test(entered) ? entered : await withFrontMatter(invocation, name, entered);
    return savePrompt(invocation, 'commands', `${name}.md`, text, false, `Created prompt: ${name}`);
  },

  async edit(invocation) {
    const name = nameOf(invocation, 'edit');
    const prompt = await call(invocation, 'show_prompt', { name });
    if (prompt.editable) return editOwnPrompt(invocation, name);
    if (prompt.source === 'built-in')
      throw new UsageError(`${name} is built in and cannot be changed; create a prompt with another name`);
    await openEditor(prompt.file, invocation.terminal);
    const { problems } = await call(invocation, 'lint_prompts', {
      names: [name],
      ...wholeList,
    });
    invocation.terminal.report({ problems }, '');
    reportProblems(invocation, problems);
    return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
  },

  async delete(invocation) {
    if (invocation.rest.length === 0)
      throw new UsageError('prompts delete needs a name: adjutant prompts delete NAME …');
    const messages: string[] = [];
    for (const name of invocation.rest)
      messages.push((await call(invocation, 'delete_prompt', { name })).message);
    const message = messages.join('\n');
    invocation.terminal.report({ success: true, message }, message);
    return 0;
  },

  async restore(invocation) {
    const [, name, revision] = /^(.+)@(\d{1,9})$/.exec(nameOf(invocation, 'restore')) ?? [];
    if (name === undefined)
      throw new UsageError('prompts restore needs a revision: adjutant prompts restore NAME@N');
    const done = await call(invocation, 'restore_prompt', { name, revision: Number(revision) });
    invocation.terminal.report(done, done.message);
    return 0;
  },
};

/** Reads the text of a new prompt from the flags, a file, standard input or the editor. */
async function newText(invocation: Invocation, name: string): Promise<string | undefined> {
  const { terminal } = invocation;
  const file = textFlag(invocation, 'file');
  const text = textFlag(invocation, 'text');
  if (text !== undefined && file !== undefined) throw new UsageError('use --text or --file, not both');
  if (text !== undefined) return text;
  if (file === '-' || (file === undefined && !terminal.input.isTTY))
    return nonEmpty(await readAll(terminal.input));
  if (file === undefined)
    return editText(`${name}.md`, await withFrontMatter(invocation, name, sample), terminal);
  try {
    return nonEmpty(readRegularFileSync(file));
  } catch (error) {
    throw new UsageError(error instanceof Failure ? error.message : `${file} cannot be read`);
  }
}

const sample = 'Write about {{topic}}.\n';

function nonEmpty(text: string): string | undefined {
  return text.trim() === '' ? undefined : text;
}

/** Adds front matter to a text. The names in double braces become arguments. */
async function withFrontMatter(invocation: Invocation, name: string, text: string): Promise<string> {
  const { printMarkdown } = await import('../../prompts/formats/file-syntax.ts');
  const names = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, found]) => found!));
  const tags = listFlag(invocation, 'tag');
  return printMarkdown(
    {
      title: textFlag(invocation, 'title') ?? name,
      description: textFlag(invocation, 'description') ?? '',
      tags: tags.length > 0 ? tags : undefined,
      template: 'braces',
      arguments:
        names.size === 0 ? undefined : [...names].map((argument) => ({ name: argument, required: true })),
    },
    text,
  );
}

/** Edits a prompt of the user: as Markdown if it has one message, as JSON if it has several. */
async function editOwnPrompt(invocation: Invocation, name: string): Promise<number> {
  const { revision } = await call(invocation, 'show_prompt', { name });
  const markdown = await call(invocation, 'export_prompts', { format: 'commands', names: [name] });
  const isMarkdown = markdown.files.length > 0;
  const { files } = isMarkdown
    ? markdown
    : await call(invocation, 'export_prompts', { format: 'jsonl', names: [name] });
  const text = isMarkdown ? files[0]!.text : `${JSON.stringify(JSON.parse(files[0]!.text), null, 2)}\n`;
  const fileName = isMarkdown ? `${name}.md` : `${name}.json`;
  const edited = await editText(fileName, text, invocation.terminal);
  if (edited === undefined) {
    const message = 'Nothing was changed.';
    invocation.terminal.report({ success: true, message }, message);
    return 0;
  }
  try {
    const current = await call(invocation, 'show_prompt', { name });
    if (current.revision !== revision)
      throw new UsageError(
        `${name} was changed by someone else while you were editing it. Nothing was changed`,
      );
    const done = `Updated prompt: ${name}`;
    if (isMarkdown) return await savePrompt(invocation, 'commands', `${name}.md`, edited, true, done);
    return await savePrompt(invocation, 'jsonl', `${name}.jsonl`, parseEdited(edited), true, done);
  } catch (error) {
    invocation.terminal.note(`Your text is in ${keepText(fileName, edited)}\n`);
    throw error;
  }
}

function parseEdited(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`the text is not valid JSON: ${(error as Error).message}. Nothing was changed`);
  }
}

async function savePrompt(
  invocation: Invocation,
  format: 'commands' | 'jsonl',
  path: string,
  text: string,
  replace: boolean,
  message: string,
): Promise<number> {
  const { imported, problems } = await call(invocation, 'import_prompts', {
    format,
    files: [{ path, text }],
    replace,
  });
  if (imported.length === 0)
    throw new Error(
      `the prompt was not saved: ${problems.map((problem) => problemLine(problem).trim()).join('; ')}`,
    );
  reportProblems(invocation, problems);
  invocation.terminal.report({ success: true, message, problems }, message);
  return 0;
}

/** Opens a file in the user's editor and waits until the editor exits. */
async function openEditor(file: string, { env }: Terminal): Promise<void> {
  const { spawn } = await import('node:child_process');
  const windows = process.platform === 'win32';
  const editor = env['VISUAL'] || env['EDITOR'] || (windows ? 'notepad' : 'vi');
  // The editor can contain arguments, as in "code --wait".
  const child = windows
    ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
    : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new UsageError(`the editor ${editor} exited with code ${code}. Nothing was changed`);
}

/** Stores a text that could not be saved, so that the user's work is not lost. Returns the path. */
function keepText(name: string, text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'adjutant-edit-')), name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Opens a text in the user's editor. Resolves to `undefined` if it was not changed. */
async function editText(name: string, text: string, terminal: Terminal): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-edit-'));
  try {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    await openEditor(file, terminal);
    const edited = readRegularFileSync(file);
    return edited === text ? undefined : edited;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
