import type { PromptReply } from '../../api.ts';
import { Failure } from '../../failure.ts';
import { wholeList } from '../../paging.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { toolAction } from '../client/tool-command.ts';
import { type Action, text, textFlag, UsageError, type Use } from '../terminal/command.ts';
import { paint, type Terminal, tableText } from '../terminal/terminal.ts';
import { call, type ListedPrompt, readAll, type ShownPrompt } from './prompts-action.ts';

const filters = {
  tag: text('TAG', 'Only prompts with this tag'),
  source: text('SOURCE', 'Only prompts from this source'),
};

/** Subcommands that only read: list, show, render, search. */
export const catalogActions: Readonly<Record<string, Action>> = {
  list: toolAction({
    tool: 'list_prompts',
    defaults: wholeList,
    summary: 'List prompts',
    flags: filters,
    examples: ['prompts list', 'prompts list --tag writing'],
    show: ({ prompts }, terminal) => (prompts.length === 0 ? 'No prompts.' : listText(terminal, prompts)),
  }),

  search: toolAction({
    tool: 'search_prompts',
    words: ['query…'],
    defaults: { limit: 20 },
    summary: 'Find prompts by words',
    args: 'WORD…',
    flags: filters,
    examples: ['prompts search review', 'prompts search weekly report'],
    show: ({ total, matches }, terminal) => (total === 0 ? 'No prompts found.' : listText(terminal, matches)),
    code: ({ total }) => (total === 0 ? 1 : 0),
  }),

  show: toolAction({
    tool: 'show_prompt',
    words: ['name'],
    summary: 'Show a prompt with its arguments and text',
    args: 'NAME',
    examples: ['prompts show code_review', 'prompts show code_review --json'],
    show: (prompt, terminal) => promptText(terminal, prompt),
  }),

  render: {
    summary: 'Fill in a prompt and print its text',
    args: 'NAME [KEY=VALUE…]',
    notes: { 'KEY=VALUE': 'an argument; =@FILE takes it from a file, =- from standard input' },
    flags: { input: text('TEXT', 'Text for the arguments, in their order', { short: 'i' }) },
    examples: ['prompts render code_review code=@main.py', 'prompts render :code_review --input "x = 1"'],
    async run(invocation) {
      const [name = '', ...pairs] = invocation.words;
      const args = Object.fromEntries(await Promise.all(pairs.map((pair) => parsePair(pair, invocation))));
      const result = await renderPrompt(invocation, name, args, textFlag(invocation.flags, 'input'));
      invocation.terminal.answer(result, () => messagesText(invocation.terminal, result.messages));
      return 0;
    },
  },
};

/** `expand_prompt` fills arguments from free text, and takes a name with its colon. */
async function renderPrompt(
  invocation: Use,
  name: string,
  args: Readonly<Record<string, string>>,
  input: string | undefined,
): Promise<PromptReply> {
  if (input === undefined && !name.startsWith(':'))
    return (await (
      await invocation.connect()
    ).request('prompts/get', {
      name,
      arguments: args,
    })) as unknown as PromptReply;
  const { text } = await call(invocation, 'expand_prompt', {
    command: name,
    ...(input !== undefined && { input }),
    arguments: args,
  });
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}

function listText(terminal: Terminal, prompts: readonly ListedPrompt[]): string {
  const rows = prompts.map(({ name, arguments: declared, source, description }) => [
    name,
    declared.map((one) => (one.required ? one.name : `[${one.name}]`)).join(' '),
    source,
    description,
  ]);
  return tableText(terminal, ['NAME', 'ARGUMENTS', 'SOURCE', 'DESCRIPTION'], rows);
}

function promptText(terminal: Terminal, prompt: ShownPrompt): string {
  const dim = (label: string) => paint(terminal, 2, `${label}:`);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['name', prompt.name],
    ['title', prompt.title],
    ['description', prompt.description],
    ['tags', prompt.tags.join(', ')],
    ['template', prompt.kind],
    ['source', prompt.source],
    ['file', `${prompt.file}:${prompt.line}`],
    ['uses', prompt.uses?.join(', ')],
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
  return [...lines, '', messagesText(terminal, prompt.messages)].join('\n');
}

/** A single user message is printed without its role, so that it can be piped to another program. */
function messagesText(terminal: Terminal, messages: PromptReply['messages']): string {
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
async function parsePair(pair: string, { terminal }: Use): Promise<[string, string]> {
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
