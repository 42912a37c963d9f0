import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { wholeList } from '../../paging.ts';
import { readRegularFileSync } from '../../regular-file.ts';
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
import { problemLine, type Terminal } from '../terminal/terminal.ts';
import { call, readAll, reportProblems } from './prompts-action.ts';

/** Subcommands for editing: create, edit, delete, restore. */
export const editingActions: Readonly<Record<string, Action>> = {
  create: {
    summary: 'Create a prompt',
    args: 'NAME',
    notes: { NAME: 'letters, digits, underscores and hyphens, or a Markdown file' },
    flags: {
      text: text('TEXT', 'Text of the prompt; {{name}} is an argument'),
      file: text('FILE', 'File with the text, - for standard input'),
      title: text('TITLE', 'Title'),
      description: text('TEXT', 'Description'),
      tag: several('TAG', 'Tag; can be repeated'),
    },
    examples: ['prompts create greet --text "Greet {{who}}."', 'prompts create greeting.md'],
    async run(given) {
      const [first] = given.words;
      // `prompts create notes.md` takes the name and the text from the file.
      const isFile = /\.(md|txt)$/.test(first!) && textFlag(given.flags, 'file') === undefined;
      const invocation = isFile ? { ...given, flags: { ...given.flags, file: first } } : given;
      const name = isFile ? basename(first!).replace(/\.\w+$/, '') : first!;
      if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{0,199}$/.test(name))
        throw new UsageError(`"${name}" is not a valid name; use letters, digits, underscores and hyphens`);
      const entered = await newText(invocation, name);
      if (entered === undefined)
        throw new UsageError(
          `the text is empty, so no prompt was created\n  Example: adjutant prompts create ${name} --text "Greet {{who}}."`,
        );
      const text = /^---\r?\n/.test(entered) ? entered : await withFrontMatter(invocation, name, entered);
      return savePrompt(invocation, 'commands', `${name}.md`, text, false, `Created prompt: ${name}`);
    },
  },

  edit: {
    summary: 'Edit a prompt in your editor',
    args: 'NAME',
    examples: ['prompts edit greet', 'prompts edit greeting'],
    async run(invocation) {
      const name = invocation.words[0]!;
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
  },

  delete: {
    summary: 'Delete prompts; restore brings them back',
    args: 'NAME…',
    flags: { yes: toggle('Do not ask', { short: 'y' }) },
    examples: ['prompts delete greet', 'prompts delete greet letter --yes'],
    async run(invocation) {
      const { words, terminal } = invocation;
      if (
        words.length > 1 &&
        !(await terminal.confirm(`Delete ${words.length} prompts: ${words.join(', ')}?`))
      )
        return 1;
      const messages: string[] = [];
      for (const name of invocation.words)
        messages.push((await call(invocation, 'delete_prompt', { name })).message);
      const message = messages.join('\n');
      invocation.terminal.report({ success: true, message }, message);
      return 0;
    },
  },

  restore: {
    summary: 'Bring back a revision of a prompt',
    args: 'NAME@REVISION',
    examples: ['prompts restore greet@1', 'prompts history greet'],
    async run(invocation) {
      const [, name, revision] = /^(.+)@(\d{1,9})$/.exec(invocation.words[0]!) ?? [];
      if (name === undefined)
        throw new UsageError('prompts restore needs a revision: adjutant prompts restore NAME@N');
      const done = await call(invocation, 'restore_prompt', { name, revision: Number(revision) });
      invocation.terminal.report(done, done.message);
      return 0;
    },
  },
};

/** Reads the text of a new prompt from the flags, a file, standard input or the editor. */
async function newText(invocation: Use, name: string): Promise<string | undefined> {
  const { terminal } = invocation;
  const file = textFlag(invocation.flags, 'file');
  const text = textFlag(invocation.flags, 'text');
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
async function withFrontMatter(invocation: Use, name: string, text: string): Promise<string> {
  const { printMarkdown } = await import('../../prompts/formats/file-syntax.ts');
  const names = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, found]) => found!));
  const tags = listFlag(invocation.flags, 'tag');
  return printMarkdown(
    {
      title: textFlag(invocation.flags, 'title') ?? name,
      description: textFlag(invocation.flags, 'description') ?? '',
      tags: tags.length > 0 ? tags : undefined,
      template: 'braces',
      arguments:
        names.size === 0 ? undefined : [...names].map((argument) => ({ name: argument, required: true })),
    },
    text,
  );
}

/** Edits a prompt of the user: as Markdown if it has one message, as JSON if it has several. */
async function editOwnPrompt(invocation: Use, name: string): Promise<number> {
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
  invocation: Use,
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

/** Stores a text in a private folder, such as one that could not be saved. Returns the path. */
function keepText(name: string, text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'adjutant-edit-')), name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Opens a text in the user's editor. Resolves to `undefined` if it was not changed. */
async function editText(name: string, text: string, terminal: Terminal): Promise<string | undefined> {
  const file = keepText(name, text);
  try {
    await openEditor(file, terminal);
    const edited = readRegularFileSync(file);
    return edited === text ? undefined : edited;
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}
