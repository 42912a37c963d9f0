import { describe, expect, it } from 'vitest';
import { cpuMilliseconds, numberTo, repeatTo } from '../../test/hostile-text.ts';
import { parseFrontMatter } from '../front-matter.ts';
import { formatNamed } from './formats/formats.ts';
import { formatPercent } from './jinja/filters.ts';
import { withOptionalSlices } from './jinja/jinja.ts';
import { lintFiles } from './lint/lint-files.ts';
import { parseManifest } from './sources/twig-manifest.ts';
import { unsupportedConstructs } from './template/dialect.ts';
import { promptNames, resolveReferences, withPromptReferences } from './template/references.ts';
import { scanTemplate } from './template/scanner.ts';
import { freeVariables } from './template/variables.ts';

const length = 1024 * 1024;
const repeated = (text: string, size = length) => repeatTo(size, text);
const numbered = (text: (number: number) => string, size = length) => numberTo(size, text);

/**
 * Quadratic code takes minutes on this input, so a generous limit is enough to detect it: a hundred times the time for a
 * harmless text of the same size, and at least five seconds.
 */
async function expectLinear(work: (text: string) => unknown, hostile: string, harmless: string) {
  const time = (text: string) =>
    cpuMilliseconds(async () => {
      try {
        await work(text);
      } catch {
        // Only the time matters, not whether the input is rejected.
      }
    });
  await time(harmless.slice(0, 1000));
  const baseline = await time(harmless.slice(0, hostile.length));
  expect(await time(hostile)).toBeLessThan(Math.max(5000, baseline * 100));
}

const prose = repeated('plain words {{ name }} of text\n');
const timeout = 600_000;

describe('processing time stays linear for a 1 MB file with', { timeout }, () => {
  it.each([
    ['comments', '{#'],
    ['raw blocks', '{% raw %}'],
    ['includes', '{% include "'],
    ['includes in single quotes', "{% include '"],
    ['includes with a name', '{% include "a" '],
    ['includes with escaped quotes', '{% include \\"'],
  ])('%s that are never closed', async (_, text) => {
    await expectLinear((source) => resolveReferences('a.md', source), repeated(text), prose);
  });

  it.each([
    ['imports', `{% from ${repeated('import ')}`],
    ['values of a used prompt', `{{ prompt("x", ${repeated(' ')}`],
    ['used prompts', repeated('{{ prompt("x", ')],
    ['names of used prompts', repeated('{% include "prompt:')],
  ])('%s that never end', async (_, text) => {
    await expectLinear((source) => promptNames(withPromptReferences(source)), text, prose);
  });

  it('deeply nested filters', async () => {
    const nested = (size: number) => `{{ x${repeated('|join(a', size)}${repeated(')', size / 7)} }}`;
    await expectLinear(unsupportedConstructs, nested(length), repeated('{{ x|join(a) }}'));
  });

  it('a chain of slices', async () => {
    await expectLinear(withOptionalSlices, `{{ x${repeated('[a:b]')} }}`, repeated('{{ x[a:b] }}'));
  });

  it.each([
    ['loops', repeated('{% for a in b %}')],
    ['loops with includes', numbered((number) => `{% for a${number} in b %}{% include "a.md" %}`)],
    ['loops around names', repeated('{% for a in b %}', length / 2) + repeated('{{ c }}', length / 2)],
    ['blocks', repeated('{% block a %}{{ b }}')],
    [
      'assignments and includes',
      numbered((number) => `{% set a${number} = 1 %}`, length / 2) +
        repeated('{% include "a.md" %}', length / 2),
    ],
  ])('nested or repeated %s', async (_, text) => {
    await expectLinear(scanTemplate, text, prose);
  });

  it.each([
    ['free', repeated('{% include "a.md" %}', length / 4)],
    [
      'set',
      numbered((number) => `{% set v${number} = 1 %}`, length / 4) +
        repeated('{% include "a.md" %}{% with z = 1 %}{% endwith %}', length / 4),
    ],
  ])('includes of a template with thousands of names that are %s', async (_, text) => {
    const included = numbered((number) => `{{ v${number} }}`, length / 4);
    await expectLinear((source) => freeVariables(source, () => included), text, prose);
  });

  it.each([
    [
      'misspelled arguments',
      numbered((number) => `{"name":"arg${number}"},`, length / 8),
      numbered((number) => `{{arx${number}}}`, length / 8),
    ],
    ['a very long argument', `{"name":"${repeated('a', length / 8)}"},`, `{{${repeated('b', length / 8)}}}`],
  ])('a JSONL line with %s', async (_, declared, text) => {
    const record = (content: string) =>
      `{"name":"a","arguments":[${declared}{"name":"z"}],"messages":[{"role":"user","content":"${content}"}]}\n`;
    await expectLinear(
      (content) => lintFiles([{ path: 'a.jsonl', text: record(content) }]),
      text,
      'x'.repeat(length),
    );
  });

  it('format directives whose names are never closed', async () => {
    await expectLinear((format) => formatPercent(format, []), repeated('%('), repeated('%%'));
  });

  it.each([
    ['keys', numbered((number) => `key${number}: 'v'\n`)],
    ['equal keys', repeated("key: 'v'\n")],
    ['brackets', `key: ${repeated('[')}`],
    ['quotes', `key: ${repeated('"')}`],
    ['anchors', numbered((number) => `key${number}: &a${number} v\n`)],
  ])('front matter full of %s', async (_, text) => {
    const wrapped = (matter: string) => `---\n${matter}\n---\nText.`;
    const harmless = numbered((number) => `key${number}: value\n`);
    await expectLinear((matter) => parseFrontMatter(wrapped(matter)), text, harmless);
    await expectLinear(
      async (matter) => (await formatNamed('claude-code')).read([{ path: 'a.md', text: wrapped(matter) }]),
      text,
      harmless,
    );
  });

  it.each([
    ['invalid tables', numbered((number) => `[prompts."a/${number}"]\n`)],
    ['tables without a description', numbered((number) => `[prompts.a${number}]\n`)],
    ['arguments', `[prompts.a]\n${numbered((number) => `[[prompts.a.arguments]]\nname = "a${number}"\n`)}`],
  ])('a manifest full of %s', async (_, text) => {
    await expectLinear((source) => parseManifest(source, 'twig.toml'), text, repeated('# a comment\n'));
  });

  it('a TOML command full of unknown fields', async () => {
    const read = async (fields: string) =>
      (await formatNamed('gemini')).read([{ path: 'a.toml', text: `prompt = "x"\n${fields}` }]);
    await expectLinear(
      read,
      numbered((number) => `key${number} = 1\n`),
      repeated('# a comment\n'),
    );
  });
});

it.each(['{#', '{% raw %}', '{% include "', '{{ x[a:b]'])(
  'linting a library full of %s finishes',
  { timeout },
  async (text) => {
    const lint = (template: string) =>
      lintFiles([
        { path: 'lib/twig.toml', text: '[prompts.a]\ndescription = "A"\n' },
        { path: 'lib/prompts/a.md', text: template },
      ]);
    await expectLinear(lint, repeated(text, length / 4), prose);
    expect((await lint(repeated(text, length / 4))).problems).not.toEqual([]);
  },
);

it('reports the line and the limit if front matter is too large', async () => {
  const matter = `---\n${numbered((number) => `key${number}: 'v'\n`, 20_000)}---\nText.`;
  await expect(parseFrontMatter(matter)).rejects.toMatchObject({
    message: 'the frontmatter is larger than 16 KB; move long text into the body',
    line: 2,
  });
});

it('scans an assignment to hundreds of thousands of names', () => {
  expect(scanTemplate(`{% set ${repeated('a,')}b = c %}`).variables).toMatchObject([{ name: 'c' }]);
});

it('reports the first of hundreds of thousands of invalid lines, and how many there are', async () => {
  const { problems } = await lintFiles([{ path: 'a.jsonl', text: 'x\n'.repeat(300_000) }]);
  expect(problems).toHaveLength(5001);
  expect(problems).toContainEqual(
    expect.objectContaining({ file: 'a.jsonl', message: '295000 more problems are not listed' }),
  );
});

it('reads VS Code inputs that are never closed in linear time', { timeout }, async () => {
  const read = async (text: string) => (await formatNamed('vscode')).read([{ path: 'a.prompt.md', text }]);
  await expectLinear(read, repeated('${input:a:', 8 * length), prose);
  const { prompts } = await read(`Ask \${input:a:costs $5} and \${input:b} \${input:c:`);
  expect(prompts[0]!.arguments).toMatchObject([{ name: 'a', description: 'costs $5' }, { name: 'b' }]);
});

it('finds the known names among thousands of unknown filters and tests', { timeout }, async () => {
  const text = numbered(
    (number) => `{{ x|unknown${number}|upper }}{{ x is missing${number} }}{{ x is defined }}`,
    100_000,
  );
  const { problems } = await lintFiles([
    { path: 'lib/twig.toml', text: '[prompts.a]\ndescription = "A"\n[[prompts.a.arguments]]\nname = "x"\n' },
    { path: 'lib/prompts/a.md', text },
  ]);
  const names = problems.flatMap(({ message }) => /^unknown (?:filter|test): (.*)$/.exec(message)?.[1] ?? []);
  expect(names.filter((name) => !/^(?:unknown|missing)\d+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(text.match(/unknown\d+|missing\d+/g)!.length);
});

it('limits the sum of the widths in a format', () => {
  expect(() => formatPercent('%600000s%600000s', ['a', 'b'])).toThrow('the width is too large');
});

it.each([
  ['? ', ''],
  ['? - ', ''],
  ['- ? ', ''],
  ['? !t ', ''],
  ['[? ', ']'],
  ['{? ', '}'],
  ['[', ']: 1'],
])('rejects front matter with keys nested as %j', async (open, close) => {
  const nested = `${repeated(open, 100 * open.length)}a${repeated(close, 100 * close.length)}`;
  await expect(parseFrontMatter(`---\nkey:\n ${nested}\n---\nText.`)).rejects.toMatchObject({
    message: 'the YAML has keys that are nested too deeply',
    line: 2,
  });
});
