import type { Problem } from '../../feature.ts';
import { FileProblem } from '../../front-matter.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { type Format, NotExpressible, writeEach } from './format.ts';
import { assertPlain, onePrompt, printSegments, singleSegments, splitBody } from './segments.ts';

/** `${name}` or `${name:default}`. */
const variable = /\$\{([A-Za-z_][\w -]{0,99})(?::([^{}]{0,2000}))?\}/g;

/** The CSV file of prompts.chat: the columns act (the title) and prompt, and others, which are ignored. */
export const promptsChat: Format = {
  name: 'prompts-chat',
  title: 'prompts.chat collections',
  endings: ['.csv'],
  documentation: ['the CSV file of prompts.chat', `\`\${name}\`, \`\${name:default}\``, 'other columns'],
  namedByPath: false,
  accepts: (path) => path.endsWith('.csv') && !path.includes('/'),
  detects: ({ path }) => path.endsWith('.csv'),
  async read(files) {
    const prompts: PromptDefinition[] = [];
    const problems: Problem[] = [];
    for (const { path, text } of files.filter((file) => promptsChat.accepts(file.path))) {
      const rows = parseCsv(text);
      const head = rows.shift()?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
      const [act, prompt] = [head.indexOf('act'), head.indexOf('prompt')];
      if (act < 0 || prompt < 0)
        problems.push({
          file: path,
          line: 1,
          severity: 'error',
          message: 'the columns act and prompt are missing',
        });
      else
        for (const { cells, line } of rows)
          try {
            prompts.push(define(path, cells[act] ?? '', cells[prompt] ?? '', line));
          } catch (error) {
            const message = (error as Error).message;
            problems.push({ file: path, line, severity: 'error', message });
          }
    }
    return { prompts, problems };
  },
  async write(definitions) {
    const { files, problems } = await writeEach(definitions, async (definition) => ({
      path: definition.name,
      text: `${cell(definition.title ?? definition.name)},${cell(print(definition))}\n`,
    }));
    if (files.length === 0) return { files, problems };
    return {
      files: [{ path: 'prompts.csv', text: `act,prompt\n${files.map(({ text }) => text).join('')}` }],
      problems,
    };
  },
};

function define(file: string, title: string, body: string, line: number): PromptDefinition {
  const name = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');
  if (name === '' || body.trim() === '') throw new FileProblem('act and prompt must not be empty', line);
  const declared = new Map<string, ArgumentDefinition>();
  const segments = splitBody(body, variable, ([found, inner, given]) => {
    const argument = inner!.trim();
    // A variable without a default stays in the text if it gets no value: it may be code.
    if (!declared.has(argument)) declared.set(argument, { name: argument, default: given ?? found });
    return argument;
  });
  return onePrompt({ path: file, text: body }, line, segments, {
    name,
    title,
    arguments: [...declared.values()],
  });
}

function print(definition: PromptDefinition): string {
  const { segments, used } = singleSegments(definition);
  const defaults = new Map(definition.arguments.map((one) => [one.name, one.default]));
  for (const name of used)
    if (!/^[A-Za-z_][\w -]*$/.test(name) || /[{}]/.test(defaults.get(name)?.replace(`\${${name}}`, '') ?? ''))
      throw new NotExpressible(`prompts.chat cannot express the argument ${name} or its default`);
  assertPlain(segments, new RegExp(variable.source), 'prompts.chat would replace');
  const printed = new Set<string>();
  return printSegments(segments, (argument) => {
    const value = printed.has(argument) ? undefined : defaults.get(argument);
    printed.add(argument);
    return value === undefined || value === `\${${argument}}`
      ? `\${${argument}}`
      : `\${${argument}:${value}}`;
  });
}

/** Rows of comma-separated values with the line on which each begins. Quoted cells may contain line breaks. */
function parseCsv(source: string): { readonly cells: readonly string[]; readonly line: number }[] {
  const rows: { cells: string[]; line: number }[] = [];
  const text = source.replace(/^\uFEFF/, '');
  const token = /("(?:[^"]|"")*(?:"|$)|[^",\r\n]*)(,|\r?\n|$)/y;
  let line = 1;
  let row = { cells: [] as string[], line };
  for (let position = 0; position < text.length; ) {
    token.lastIndex = position;
    // A quote inside an unquoted cell: take the rest of the line as it is.
    const [whole, raw, end] = token.exec(text) ?? restOfLine(text, position);
    position += whole!.length;
    row.cells.push(raw!.startsWith('"') ? raw!.slice(1).replace(/"$/, '').replaceAll('""', '"') : raw!);
    line += whole!.split('\n').length - 1;
    if (end === ',') {
      if (position >= text.length) row.cells.push('');
      else continue;
    }
    if (row.cells.some((one) => one !== '')) rows.push(row);
    row = { cells: [], line };
  }
  if (row.cells.length > 0) rows.push(row);
  return rows;
}

function restOfLine(text: string, from: number): readonly [string, string, string] {
  const end = text.indexOf('\n', from);
  const raw = text.slice(from, end < 0 ? undefined : end);
  return [end < 0 ? raw : `${raw}\n`, raw, '\n'];
}

function cell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
