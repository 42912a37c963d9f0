import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Jinja } from './jinja.ts';
import { TemplateError } from './template-error.ts';

interface Case {
  readonly source: string;
  /** What Jinja2 makes of it; absent when it fails there too. */
  readonly text?: string;
}

const book = JSON.parse(readFileSync('test/fixtures/jinja2/cases.json', 'utf8')) as {
  readonly templates: Readonly<Record<string, string>>;
  readonly arguments: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
};
const page = readFileSync('docs/templates.md', 'utf8');

const jinja = new Jinja();
for (const [name, source] of Object.entries(book.templates)) jinja.set(name, source);
afterAll(() => jinja.close());

function render(source: string): { readonly text?: string; readonly error?: TemplateError } {
  try {
    jinja.set('main.md', source);
    return { text: jinja.render('main.md', book.arguments) };
  } catch (error) {
    if (error instanceof TemplateError) return { error };
    throw error;
  }
}

/** How a cell of the page is written. */
function cell(text: string): string {
  const shown = text.replaceAll('|', '\\|').replaceAll('\r', '␍').replaceAll('\n', '↵');
  return text === '' ? '(nothing)' : `\`${shown}\``;
}

function row({ source, text }: Case): string {
  const ours = render(source);
  const told = ours.error ? `fails: ${ours.error.message.replaceAll('|', '\\|')}` : cell(ours.text!);
  return `| ${cell(source)} | ${text === undefined ? 'fails' : cell(text)} | ${told} |`;
}

/** `True`, `False` and `None` are written in lower case everywhere: one difference, not hundreds. */
function spelling(text: string): string {
  return text.replaceAll('True', 'true').replaceAll('False', 'false').replaceAll('None', 'none');
}

function differs({ source, text }: Case): boolean {
  const ours = render(source);
  if (ours.error) return text !== undefined;
  return text === undefined || (ours.text !== text && ours.text !== spelling(text));
}

describe('the page on templates', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  it('has a row for every difference, and says what really happens', () => {
    const wanted = book.cases.filter(differs).map(row);
    expect([...rows].sort()).toEqual([...wanted].sort());
  });

  it('covers what a prompt author can meet', () => {
    expect(book.cases.length).toBeGreaterThan(900);
    expect(book.cases.filter((one) => !differs(one)).length).toBeGreaterThan(750);
  });
});

describe('what is not supported', () => {
  const failing = book.cases
    .filter(({ text }) => text !== undefined)
    .filter(({ source }) => render(source).error);

  it.each(failing.map(({ source }) => source))('fails with its name and line: %s', (source) => {
    const { error } = render(`first line\n${source}`);
    expect(error).toMatchObject({ template: 'main.md', line: 2 });
    // Some word or sign of the template stands in the message.
    const words = new Set(source.match(/\w+|[^\w\s]/g));
    expect([...words].some((word) => error!.message.includes(word))).toBe(true);
  });
});
