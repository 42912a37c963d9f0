import type { PromptReply } from '../../api.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';
import { paint, tableText } from '../terminal/table.ts';
import {
  type Action,
  call,
  type Given,
  type ListedPrompt,
  listFlag,
  nameOf,
  readAll,
  type ShownPrompt,
  textFlag,
} from './prompts-action.ts';

/** Subcommands that only read: list, show, render, search. */
export const catalogActions: Readonly<Record<string, Action>> = {
  async list(given) {
    const prompts: ListedPrompt[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(given, 'list_prompts', {
        ...filterArguments(given),
        ...(cursor !== undefined && { cursor }),
      });
      prompts.push(...page.prompts);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    given.terminal.answer({ prompts }, () =>
      prompts.length === 0 ? 'No prompts.' : listText(given, prompts),
    );
    return 0;
  },

  async search(given) {
    const query = given.rest.join(' ');
    if (query.trim() === '')
      throw new UsageError('prompts search needs words to search for: adjutant prompts search WORDS');
    const result = await call(given, 'search_prompts', {
      query,
      ...filterArguments(given),
    });
    given.terminal.answer(result, () =>
      result.total === 0 ? 'No prompts found.' : listText(given, result.matches),
    );
    return result.total === 0 ? 1 : 0;
  },

  async show(given) {
    const prompt = await call(given, 'show_prompt', { name: nameOf(given, 'show') });
    given.terminal.answer(prompt, () => promptText(given, prompt));
    return 0;
  },

  async render(given) {
    const [name, ...pairs] = given.rest;
    if (name === undefined)
      throw new UsageError('prompts render needs a name: adjutant prompts render NAME key=value …');
    const args = Object.fromEntries(await Promise.all(pairs.map((pair) => parsePair(pair, given))));
    const result = await renderPrompt(given, name, args, textFlag(given, 'input'));
    given.terminal.answer(result, () => messagesText(given, result.messages));
    return 0;
  },
};

/** Passes free text as the argument `input` if the prompt has one. Otherwise `expand_prompt` inserts or appends it. */
async function renderPrompt(
  given: Given,
  name: string,
  args: Readonly<Record<string, string>>,
  input: string | undefined,
): Promise<PromptReply> {
  const get = async (all: JsonObject) =>
    (await given.client.request('prompts/get', { name, arguments: all })) as unknown as PromptReply;
  if (input === undefined) return get(args);
  const { arguments: declared } = await call(given, 'show_prompt', { name });
  if (declared.some((argument) => argument.name === 'input')) return get({ ...args, input });
  const { prompt } = await call(given, 'expand_prompt', {
    command: name,
    input,
    arguments: args,
  });
  return { messages: [{ role: 'user', content: { type: 'text', text: prompt } }] };
}

function filterArguments(given: Given): { tag?: string; source?: string } {
  const [tag] = listFlag(given, 'tag');
  const source = textFlag(given, 'source');
  return { ...(tag !== undefined && { tag }), ...(source !== undefined && { source }) };
}

function listText({ terminal }: Given, prompts: readonly ListedPrompt[]): string {
  const rows = prompts.map(({ name, arguments: declared, source, description }) => [
    name,
    declared.map((one) => (one.required ? one.name : `[${one.name}]`)).join(' '),
    source,
    description,
  ]);
  return tableText(terminal, ['NAME', 'ARGUMENTS', 'SOURCE', 'DESCRIPTION'], rows);
}

function promptText(given: Given, prompt: ShownPrompt): string {
  const dim = (label: string) => paint(given.terminal, 2, `${label}:`);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['name', prompt.name],
    ['title', prompt.title],
    ['description', prompt.description],
    ['tags', prompt.tags.join(', ')],
    ['template', prompt.kind],
    ['source', prompt.source],
    ['file', `${prompt.file}:${prompt.line}`],
  ];
  const lines = facts.flatMap(([label, value]) => (value ? [`${dim(label)} ${value}`] : []));
  for (const { name, description, required, default: defaultValue, values } of prompt.arguments) {
    const notes = [
      required ? 'required' : 'optional',
      ...(defaultValue ? [`default ${defaultValue}`] : []),
      ...(values ? [`one of ${values.join(', ')}`] : []),
    ];
    lines.push(`${dim('argument')} ${name} (${notes.join('; ')})${description ? `: ${description}` : ''}`);
  }
  return [...lines, '', messagesText(given, prompt.messages)].join('\n');
}

/** A single user message is printed without its role, so that it can be piped to another program. */
function messagesText({ terminal }: Given, messages: PromptReply['messages']): string {
  const isSingle = messages.length === 1 && messages[0]!.role === 'user';
  return messages
    .map(({ role, content }) => {
      const text = content.type === 'text' ? content.text : `(${content.type})`;
      const head = isSingle ? '' : `${paint(terminal, 1, `${role}:`)}\n`;
      return `${head}${text}${text.endsWith('\n') ? '' : '\n'}`;
    })
    .join('');
}

/** Parses `key=value`, `key=@file` (the content of the file) or `key=-` (standard input). */
async function parsePair(pair: string, { terminal }: Given): Promise<[string, string]> {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`"${pair}" is not of the form key=value`);
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (value === '-') return [key, await readAll(terminal.input)];
  if (!value.startsWith('@')) return [key, value];
  try {
    return [key, readRegularFileSync(value.slice(1))];
  } catch (error) {
    throw new UsageError(error instanceof Failure ? error.message : `${value.slice(1)} cannot be read`);
  }
}
