import { Failure } from '../../failure.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';
import { editText, openEditor } from '../terminal/editor.ts';
import { problemLine } from '../terminal/problem-lines.ts';
import { tableText } from '../terminal/table.ts';
import {
  type Action,
  call,
  type Given,
  listFlag,
  nameOf,
  readAll,
  reportProblems,
  textFlag,
} from './prompts-action.ts';

/** Subcommands for editing: create, edit, delete, history, restore. */
export const editingActions: Readonly<Record<string, Action>> = {
  async create(given) {
    const name = nameOf(given, 'create');
    if (!/^[A-Za-z0-9_]{1,200}$/.test(name))
      throw new UsageError(`"${name}" is not a valid name; use letters, digits and underscores`);
    const entered = await newText(given, name);
    if (entered === undefined) throw new UsageError('the text is empty, so no prompt was created');
    const text = /^---\r?\n/.test(entered) ? entered : await withFrontMatter(given, name, entered);
    return savePrompt(given, 'commands', `${name}.md`, text, false, `Created prompt: ${name}`);
  },

  async edit(given) {
    const name = nameOf(given, 'edit');
    const prompt = await call(given, 'show_prompt', { name });
    if (prompt.editable) return editOwnPrompt(given, name);
    if (prompt.source === 'built-in')
      throw new UsageError(`${name} is built in and cannot be changed; create a prompt with another name`);
    await openEditor(prompt.file, given.terminal);
    const { problems } = await call(given, 'lint_prompts', {
      names: [name],
    });
    given.terminal.report({ problems }, '');
    reportProblems(given, problems);
    return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
  },

  async delete(given) {
    if (given.rest.length === 0)
      throw new UsageError('prompts delete needs a name: adjutant prompts delete NAME …');
    const messages: string[] = [];
    for (const name of given.rest) messages.push((await call(given, 'delete_prompt', { name })).message);
    const message = messages.join('\n');
    given.terminal.report({ success: true, message }, message);
    return 0;
  },

  async history(given) {
    const name = nameOf(given, 'history');
    const result = await call(given, 'prompt_history', { name });
    given.terminal.answer(result, () => {
      const rows = result.revisions.map(({ revision, action, time, client, restored }) => [
        `${name}@${revision}`,
        time,
        restored === undefined ? action : `${action} of ${restored}`,
        `${client.name} ${client.version}`,
      ]);
      return tableText(given.terminal, ['REVISION', 'TIME', 'ACTION', 'CLIENT'], rows);
    });
    return 0;
  },

  async restore(given) {
    const [, name, revision] = /^(.+)@(\d{1,9})$/.exec(nameOf(given, 'restore')) ?? [];
    if (name === undefined)
      throw new UsageError('prompts restore needs a revision: adjutant prompts restore NAME@N');
    const done = await call(given, 'restore_prompt', { name, revision: Number(revision) });
    given.terminal.report(done, done.message);
    return 0;
  },
};

/** Reads the text of a new prompt from the flags, a file, standard input or the editor. */
async function newText(given: Given, name: string): Promise<string | undefined> {
  const { terminal } = given;
  const file = textFlag(given, 'file');
  const text = textFlag(given, 'text');
  if (text !== undefined && file !== undefined) throw new UsageError('use --text or --file, not both');
  if (text !== undefined) return text;
  if (file === '-' || (file === undefined && !terminal.input.isTTY))
    return nonEmpty(await readAll(terminal.input));
  if (file === undefined) return editText(`${name}.md`, await withFrontMatter(given, name, sample), terminal);
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
async function withFrontMatter(given: Given, name: string, text: string): Promise<string> {
  const { printMarkdown } = await import('../../prompts/formats/markdown.ts');
  const names = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, found]) => found!));
  const tags = listFlag(given, 'tag');
  return printMarkdown(
    {
      title: textFlag(given, 'title') ?? name,
      description: textFlag(given, 'description') ?? '',
      tags: tags.length > 0 ? tags : undefined,
      template: 'braces',
      arguments:
        names.size === 0 ? undefined : [...names].map((argument) => ({ name: argument, required: true })),
    },
    text,
  );
}

/** Edits a prompt of the user: as Markdown if it has one message, as JSON if it has several. */
async function editOwnPrompt(given: Given, name: string): Promise<number> {
  const markdown = await call(given, 'export_prompts', { format: 'commands', names: [name] });
  const isMarkdown = markdown.files.length > 0;
  const { files } = isMarkdown
    ? markdown
    : await call(given, 'export_prompts', { format: 'jsonl', names: [name] });
  const text = isMarkdown ? files[0]!.text : `${JSON.stringify(JSON.parse(files[0]!.text), null, 2)}\n`;
  const edited = await editText(isMarkdown ? `${name}.md` : `${name}.json`, text, given.terminal);
  if (edited === undefined) {
    const message = 'Nothing was changed.';
    given.terminal.report({ success: true, message }, message);
    return 0;
  }
  const done = `Updated prompt: ${name}`;
  if (isMarkdown) return savePrompt(given, 'commands', `${name}.md`, edited, true, done);
  let record: unknown;
  try {
    record = JSON.parse(edited);
  } catch (error) {
    throw new UsageError(`the text is not valid JSON: ${(error as Error).message}. Nothing was changed`);
  }
  return savePrompt(given, 'jsonl', `${name}.jsonl`, JSON.stringify(record), true, done);
}

async function savePrompt(
  given: Given,
  format: 'commands' | 'jsonl',
  path: string,
  text: string,
  replace: boolean,
  message: string,
): Promise<number> {
  const { imported, problems } = await call(given, 'import_prompts', {
    format,
    files: [{ path, text }],
    replace,
  });
  if (imported.length === 0)
    throw new Error(
      `the prompt was not saved: ${problems.map((problem) => problemLine(problem).trim()).join('; ')}`,
    );
  reportProblems(given, problems);
  given.terminal.report({ success: true, message, problems }, message);
  return 0;
}
