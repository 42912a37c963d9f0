import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Jinja } from './jinja.ts';
import { TemplateError } from './template-error.ts';

interface Case {
  readonly source: string;
  /** The output of Jinja2. Absent if Jinja2 fails. */
  readonly text?: string;
}

const fixture = JSON.parse(readFileSync('test/fixtures/jinja2/cases.json', 'utf8')) as {
  readonly templates: Readonly<Record<string, string>>;
  readonly arguments: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
};
const page = readFileSync('docs/reference/templates.md', 'utf8');

const jinja = new Jinja();
for (const [name, source] of Object.entries(fixture.templates)) jinja.set(name, source);
afterAll(() => jinja.close());

function render(source: string): { readonly text?: string; readonly error?: TemplateError } {
  try {
    jinja.set('main.md', source);
    return { text: jinja.render('main.md', fixture.arguments) };
  } catch (error) {
    if (error instanceof TemplateError) return { error };
    throw error;
  }
}

/** Formats a text as a table cell of the page. */
function cell(text: string): string {
  const shown = text.replaceAll('|', '\\|').replaceAll('\r', '␍').replaceAll('\n', '↵');
  return text === '' ? '(nothing)' : `\`${shown}\``;
}

function row({ source, text }: Case): string {
  const ours = render(source);
  const result = ours.error ? `fails: ${ours.error.message.replaceAll('|', '\\|')}` : cell(ours.text!);
  return `| ${cell(source)} | ${text === undefined ? 'fails' : cell(text)} | ${result} |`;
}

/** Adjutant writes `True`, `False` and `None` in lower case. The page lists this difference only once. */
function lowerCaseConstants(text: string): string {
  return text.replaceAll('True', 'true').replaceAll('False', 'false').replaceAll('None', 'none');
}

function differs({ source, text }: Case): boolean {
  const ours = render(source);
  if (ours.error) return text !== undefined;
  return text === undefined || (ours.text !== text && ours.text !== lowerCaseConstants(text));
}

describe('docs/reference/templates.md', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  it('has a row for every difference, with the actual result', () => {
    const expected = fixture.cases.filter(differs).map(row);
    expect([...rows].sort()).toEqual([...expected].sort());
  });

  it('is based on more than 900 cases, most of which do not differ', () => {
    expect(fixture.cases.length).toBeGreaterThan(900);
    expect(fixture.cases.filter((one) => !differs(one)).length).toBeGreaterThan(750);
  });
});

describe('an unsupported construct', () => {
  const failing = fixture.cases
    .filter(({ text }) => text !== undefined)
    .filter(({ source }) => render(source).error);

  it.each(failing.map(({ source }) => source))('fails with its name and line number: %s', (source) => {
    const { error } = render(`first line\n${source}`);
    expect(error).toMatchObject({ template: 'main.md', line: 2 });
    // The message must contain at least one word or symbol of the template.
    const words = new Set(source.match(/\w+|[^\w\s]/g));
    expect([...words].some((word) => error!.message.includes(word))).toBe(true);
  });
});
