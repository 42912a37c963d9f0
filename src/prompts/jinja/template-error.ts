import { truncate } from '../../single-line.ts';
import { promptOf, templateLabel } from '../template/references.ts';
import { filterErrorIn } from './filters.ts';

/** An error in a template, with its position. The message contains only fixed words and words from the template. */
export class TemplateError extends Error {
  /** The name of the failing template, which may be an included one. */
  readonly template: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** True if the time limit was exceeded. */
  readonly isSlow: boolean;

  constructor(template: string, message: string, line?: number, column?: number, isSlow = false) {
    super(message);
    this.isSlow = isSlow;
    this.template = template;
    this.line = line;
    this.column = column;
  }
}

export interface ParsedTemplateError {
  readonly error: TemplateError;
  /** The included template in which the error occurred. */
  readonly included: string | undefined;
}

/** Words that the engine uses in its errors. Any other word must occur in the template, or it could be an argument's value. */
const vocabulary = new Set(
  `a absolute and are argument arguments as assign assignment at attribute bad be block blocks bool boolean bytes calculate call callable can cannot
  char close closing comparison constant context convert could count debug defined delimiter dict does duplicate element elements empty
  end endfor endif engine error escape exceeded exceeds exist expected expression extends failed filter float for found from fuel function
  get got has have identifier if import in include included index indexable inf input int integer into invalid invalidated is isize
  item items iterable iteration iterator key keyword kind length level limit limits list literal loop macro macros many map
  maximum method missing module more must name named namespace namespaces nested new no non non-existing none not nothing number
  object of on one only op open operation operator or out outside override pair pairs parameter parse positional ran range
  recursion recursive reference reload render required requires resolve result round scope self sequence serialization serialize set
  signature slice statement step string super syntax template templates test than the through to token too tried tuple twice type
  types unable undefined unexpected unknown unpack unsupported usize use used value values variable variables was while wide with
  write wrong zero large small`.split(/\s+/),
);

export function parseTemplateError(
  rendered: string,
  raw: string,
  sourceOf: (template: string) => string,
): ParsedTemplateError {
  const filterError = filterErrorIn(raw);
  const [first = '', ...rest] = (
    filterError === undefined ? raw : filterError + raw.slice(raw.indexOf(') } (in ') + ') }'.length)
  ).split('\n');
  const [, text = first, template = rendered, line] = /^(.*) \(in (.+):(\d+)\)$/s.exec(first) ?? [];
  const number = line === undefined ? undefined : Number(line);
  const source = sourceOf(template);
  const caret = rest.find((row) => /^\s+i\s+\^/.test(row));
  const column = caret === undefined ? undefined : caret.indexOf('^') - gutter(caret) + 1;
  const included = /^could not render include: error in "(.*)"$/.exec(text)?.[1];
  const missing = promptOf(/non-existing template "(.*)"$/.exec(text)?.[1] ?? '');
  const explanation =
    filterError ?? (missing === undefined ? withoutValues(text, source) : `prompt not found: ${missing}`);
  const message =
    included === undefined
      ? explanation + spanOf(explanation, source, number, column, caret)
      : `error in ${promptOf(included) === undefined ? 'the included template ' : ''}${templateLabel(included)}`;
  return { error: new TemplateError(template, message, number, column), included };
}

/** The width of the line number and its marker at the beginning of the caret row. */
function gutter(row: string): number {
  return row.indexOf('i') + 2;
}

/** The part of the template that the carets underline. Empty if the message already contains it. */
function spanOf(
  message: string,
  source: string,
  line: number | undefined,
  column: number | undefined,
  caret: string | undefined,
): string {
  if (line === undefined || column === undefined || caret === undefined) return '';
  const length = /\^+/.exec(caret)![0].length;
  const span = source.split('\n')[line - 1]?.slice(column - 1, column - 1 + length) ?? '';
  const [, word = span.trim()] = /^\W*(\w+)/.exec(span) ?? [];
  const named = message.split(/\W+/).includes(word) || message.includes(`\`${word}\``);
  const shown = span.replace(/^\./, '');
  return word === '' || named ? '' : ` at "${truncate(shown, 60)}"`;
}

function withoutValues(text: string, source: string): string {
  const known = new Set(source.match(/[\w-]+/g) ?? []);
  const plain = text.replaceAll(/[\w-]+/g, (word) =>
    vocabulary.has(word.toLowerCase()) || known.has(word) ? word : '…',
  );
  // The engine's own words are ASCII, so any other character comes from a value.
  return plain.replaceAll(/[^\x20-\x7e…]+/g, '…').replaceAll(/…(?:[^\w"']*…)+/g, '…');
}
