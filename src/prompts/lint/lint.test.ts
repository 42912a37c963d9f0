import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '../catalog/catalog.ts';
import { MountSource } from '../formats/mount.ts';
import { UserSource } from '../jsonl/user-source.ts';
import { CommandSource } from '../sources/commands.ts';
import { TwigSource } from '../sources/twig.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { lintCatalog } from './lint.ts';
import { lintFiles } from './lint-files.ts';

async function lint(files: Readonly<Record<string, string>>, format?: string): Promise<readonly string[]> {
  const given = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { problems } = await lintFiles(given, format);
  return problems.map(
    ({ file, line, column, severity, message }) =>
      `${[file, line, column].filter((part) => part !== undefined).join(':')}: ${severity}: ${message}`,
  );
}

function library(prompt: string, names: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  const declared = names.map((name) => `[[prompts.p.arguments]]\nname = "${name}"\n`).join('');
  return { 'twig.toml': `[prompts.p]\ndescription = "d"\n${declared}`, 'prompts/p.md': prompt, ...more };
}

describe('a Jinja prompt', () => {
  it('that is right has no findings', async () => {
    expect(
      await lint(
        library(
          '{% extends "base.md" %}{% block body %}{% for x in code.split(",") %}{{ x|upper|truncate(9) }}{% include "part.md" %}{% endfor %}{% if lang is defined %}{{ lang }}{% endif %}{% endblock %}',
          ['code', 'lang', 'tone'],
          { 'prompts/base.md': '{% block body %}{% endblock %}{{ tone }}', 'prompts/part.md': '{{ x }}' },
        ),
      ),
    ).toEqual([]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'a\n  {{ cod }}',
      ['code'],
      [
        'prompts/p.md:1: warning: the argument code is never used',
        'prompts/p.md:2:6: error: undefined variable: cod; did you mean code?',
      ],
    ],
    [
      '{{ input }}',
      [],
      [
        'prompts/p.md:1:4: error: undefined variable: input; a library has no {{input}} of its own, so declare it as an argument',
      ],
    ],
    ['{{ a|default("x") }}', [], ['prompts/p.md:1:4: warning: a is never given: it is no argument']],
    ['{{ code|uper }}', ['code'], ['prompts/p.md:1:9: error: unknown filter: uper']],
    ["{{ [1]|map('uper')|join }}", [], ['prompts/p.md:1:12: error: unknown filter: uper']],
    ['{{ code is blank }}', ['code'], ['prompts/p.md:1:12: error: unknown test: blank']],
    [
      "{{ [1]|select('odd')|selectattr('x', 'weird')|join }}",
      [],
      ['prompts/p.md:1:38: error: unknown test: weird'],
    ],
    ['{{ rang(3) }}', [], ['prompts/p.md:1:4: error: unknown function: rang; did you mean range?']],
    ['{{ code() }}', ['code'], ['prompts/p.md:1:4: error: the argument code is text and cannot be called']],
    ['{% set l = [] %}{{ l.append(code) }}', ['code'], ['prompts/p.md:1:22: error: unknown method: append']],
    ['x\n{% include "no.md" %}', [], ['prompts/p.md:2:12: error: include: there is no template no.md']],
    ['{% include "no.md" ignore missing %}{% include ["a.md", "b.md"] %}', [], []],
    [
      '{% if code %}',
      ['code'],
      ['prompts/p.md:1:1: error: syntax error: unexpected end of input, expected end of block'],
    ],
    ['{{ code }}\n{% break %}', ['code'], ['prompts/p.md:2:4: error: syntax error: unknown statement break']],
    [
      '{{ 1 < code < 3 }}',
      ['code'],
      ['prompts/p.md:1:13: error: chained comparison is not supported: join two with "and" (at "<")'],
    ],
    ['{% include code %}', ['code', 'other'], []],
  ])('%s', async (prompt, names, expected) => {
    const found = await lint(library(prompt, names));
    // The engine and we may see one thing in two places.
    for (const line of expected) expect(found.map(shorten)).toContain(shorten(line));
    expect(found.length).toBeGreaterThanOrEqual(expected.length);
    if (expected.length === 0) expect(found).toEqual([]);
  });

  /** Where a syntax error is seen is the engine's matter. */
  function shorten(line: string): string {
    return line.replace(/:\d+:\d+: error: syntax error.*/, ': error: syntax error');
  }

  it('tells of the included file, with its line', async () => {
    expect(
      await lint(
        library('{% include "lib/part.md" %}', [], { 'prompts/lib/part.md': 'a\nb {{ gone|nope }}' }),
      ),
    ).toEqual([
      'prompts/lib/part.md:2:6: error: undefined variable: gone',
      'prompts/lib/part.md:2:11: error: unknown filter: nope',
    ]);
  });

  it('without its file, twice in a manifest, or declared wrongly is told by the manifest', async () => {
    expect(await lint({ 'twig.toml': '[prompts.p]\ndescription = "d"\n' })).toEqual([
      'prompts/p.md: error: Prompt content file not found',
    ]);
    expect((await lint({ 'twig.toml': '[prompts.p]\n[prompts.p]\n' }))[0]).toMatch(
      /^twig\.toml:2:\d+: error: /,
    );
    expect((await lint({ 'twig.toml': '[prompts.p]\ndescription = 5\n' }))[0]).toMatch(
      /twig\.toml:1: error: p: description/,
    );
  });

  it('in front matter counts its lines from the top of the file', async () => {
    expect(await lint({ 'x.md': '---\ndescription: d\ntemplate: jinja\n---\n\na\n{{ nope }}' })).toEqual([
      'x.md:7:4: error: undefined variable: nope',
    ]);
    expect((await lint({ 'x.md': '---\ndescription: d\ntemplate: jinja\n---\n{% if %}' }))[0]).toMatch(
      /^x\.md:5:\d+: error: syntax/,
    );
  });
});

describe('a prompt of braces', () => {
  const record = (text: string, names: readonly string[]) =>
    `${JSON.stringify({ name: 'p', title: 'P', arguments: names.map((name) => ({ name })), messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;

  it.each<[string, readonly string[], readonly string[]]>([
    ['{{a}} and {{a}}', ['a'], []],
    [
      '{{a}} {{cod}}',
      ['a', 'code'],
      [
        'error: p: {{cod}} has no argument; did you mean {{code}}?',
        'warning: p: the argument code has no place in the text',
      ],
    ],
    ['{{ a }} {{a}}', ['a'], ['error: p: {{ a }} is plain text here, because of its blanks; write {{a}}']],
    [
      '{{a}} {{ b|upper }} {% if a %}',
      ['a'],
      [
        'warning: p: {{ b|upper }} is plain text here: this prompt is not a Jinja template',
        'warning: p: a Jinja statement is plain text here: this prompt is not a Jinja template',
      ],
    ],
  ])('%s', async (text, names, expected) => {
    expect(await lint({ 'user.jsonl': record(text, names) })).toEqual(
      expected.map((line) => `user.jsonl:1: ${line}`),
    );
  });

  it('with a name that others do not take', async () => {
    const text = JSON.stringify({ name: 'a-b', title: 'A', messages: [{ role: 'user', content: 'x' }] });
    expect(await lint({ 'user.jsonl': text })).toEqual([
      'user.jsonl:1: warning: a-b: the name has other characters than letters, digits and underscores',
    ]);
  });

  it('with a bad line, or a name twice', async () => {
    expect(await lint({ 'user.jsonl': `${record('x', [])}{nope\n${record('y', [])}` })).toEqual([
      'user.jsonl:2: error: the line is not JSON',
      'user.jsonl:3: error: the prompt p is already defined on line 1',
    ]);
  });
});

describe('a Markdown command', () => {
  it.each<[string, readonly string[]]>([
    ['Topic: {{input}}', []],
    [
      'Topic:\n{{ input }}',
      ['x.md:5:1: error: {{ input }} is plain text here, because of its blanks; write {{input}}'],
    ],
    ['{{topic}}', ['x.md:4:1: warning: {{topic}} is plain text here: only {{input}} is replaced']],
    [
      '{% for x in y %}{{ x|upper }}{% endfor %}',
      [
        'x.md:4:1: warning: a Jinja statement is plain text here: this prompt is not a Jinja template',
        'x.md:4:17: warning: {{ x|upper }} is plain text here: this prompt is not a Jinja template',
      ],
    ],
  ])('%s', async (body, expected) => {
    expect(await lint({ 'x.md': `---\ndescription: d\n---\n${body}` })).toEqual(expected);
  });

  it('that says it is no template is left alone', async () => {
    expect(await lint({ 'x.md': '---\ndescription: d\ntemplate: none\n---\n{{ input }} {% if %}' })).toEqual(
      [],
    );
  });
});

describe('hidden characters', () => {
  it.each<[string, string, string]>([
    ['a right-to-left override', 'a\u202Eb', 'U+202E changes the direction of text'],
    ['an isolate', 'x\u2066', 'U+2066 changes the direction of text'],
    ['a tag', 'x\u{E0041}', 'U+E0041 is an invisible tag'],
    ['a zero-width space', 'a\u200Bb', 'U+200B is invisible'],
    ['a joiner between Latin letters', 'a\u200Db', 'U+200D is invisible'],
    ['a byte order mark inside', 'a\uFEFFb', 'U+FEFF is invisible'],
    ['an escape', 'a\x1b[31m', 'U+001B is a control character'],
    ['a soft hyphen', 'a\u00ADb', 'U+00AD is invisible'],
    ['a variation selector on a letter', 'a\uFE0F', 'U+FE0F is invisible'],
  ])('%s is told', (_, text, message) => {
    expect(hiddenCharacters(text).map((found) => found.message)).toEqual([message]);
  });

  it.each([
    'naïve café',
    'emoji 👩‍👩‍👧 ❤️ 🏳️‍🌈 1️⃣',
    'فارسی می‌خواهم',
    'हिन्दी क्‍ष',
    'tab\tand\r\nline',
    '漢字 עברית',
  ])('ordinary text is left alone: %s', (text) => {
    expect(hiddenCharacters(text)).toEqual([]);
  });

  it('are told with their place, in texts and in what lists show', async () => {
    expect(await lint({ 'x.md': '---\ndescription: "d\u202E"\n---\nok\nab\u200Bc {{input}}' })).toEqual([
      'x.md:4: error: description: U+202E changes the direction of text',
      'x.md:5:3: warning: U+200B is invisible',
    ]);
  });

  it('without end are told some times, not without end', () => {
    expect(hiddenCharacters('\u200B'.repeat(100_000))).toHaveLength(10);
  });
});

describe('files of other programs', () => {
  it('are known by their names, and their braces are text', async () => {
    expect(
      await lint({
        'a.prompt.md': `Use {{ vue }} and \${input:x}`,
        'b.prompt': '{{x}}',
        'c.toml': 'prompt = "x {{foo}}"',
        'skill/SKILL.md': '---\nname: s\n---\n{{ x }}',
        'pattern/system.md': 'y',
      }),
    ).toEqual([]);
    expect(await lint({ 'x.md': 'Use $ARGUMENTS and {{ vue }}' }, 'claude-code')).toEqual([]);
  });

  it('with one name twice are told', async () => {
    expect(
      await lint({ 'a/SKILL.md': '---\nname: s\n---\nx', 'b/SKILL.md': '---\nname: s\n---\ny' }),
    ).toEqual(['b/SKILL.md:4: error: the name s is taken by a/SKILL.md']);
  });
});

describe('the catalogue', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'adjutant-lint-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const plant = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const jsonl = (name: string, text: string) =>
    `${JSON.stringify({ name, title: name, messages: [{ role: 'user', content: text }] })}\n`;

  it('is looked at from source to source', async () => {
    const write = (path: string, text: string) => plant({ [path]: text });
    write('commands/same.md', '---\ndescription: d\n---\n{{ input }}');
    write('claude/same.md', 'x');
    write('claude/bad.md', Buffer.from([0xff]).toString('latin1'));
    write('libraries/lib/twig.toml', '[prompts.p]\ndescription = "d"\n[prompts.gone]\ndescription = "d"\n');
    write('libraries/lib/prompts/p.md', '{{ nope }}');
    write('prompts/user.jsonl', 'broken\n');
    const catalog = new Catalog([
      new UserSource({ folder: join(folder, 'prompts') }),
      new CommandSource({ folder: join(folder, 'commands') }),
      new TwigSource({ folder: join(folder, 'libraries') }),
      new MountSource({ format: 'claude-code', path: join(folder, 'claude') }),
    ]);
    const problems = await lintCatalog(catalog);
    expect(problems.map(({ file, line, message }) => [file.slice(folder.length + 1), line, message])).toEqual(
      [
        ['claude/same.md', 1, `the prompt same is hidden by the one in ${join(folder, 'commands/same.md')}`],
        ['commands/same.md', 4, '{{ input }} is plain text here, because of its blanks; write {{input}}'],
        ['libraries/lib/prompts/gone.md', undefined, 'Prompt content file not found'],
        ['libraries/lib/prompts/p.md', 1, 'undefined variable: nope'],
        ['prompts/user.jsonl', 1, 'the line is not JSON'],
      ],
    );
    expect(problems.map(({ prompts }) => prompts)).toEqual([
      ['same'],
      ['same'],
      ['lib:gone'],
      ['lib:p'],
      undefined,
    ]);
    expect(await lintCatalog(catalog, ['lib:p'])).toHaveLength(1);
    expect(await lintCatalog(catalog, ['same'])).toHaveLength(2);
    catalog.close();
  });

  it('tells of every prompt what it suffers from, also where they share it', async () => {
    const tree = {
      'commands/kept.md': '---\ndescription: d\n---\nx',
      'mounted/all.jsonl': `${jsonl('a', '{{x}}')}not JSON\n${jsonl('b', 'x')}${jsonl('a', 'x')}`,
      'libraries/Lib/twig.toml': '[prompts.p]\n[prompts.q]\ndescription = "d"\n',
      'libraries/Lib/prompts/p.md': '{% include "part.md" %}',
      'libraries/Lib/prompts/q.md': '{% include "part.md" %}',
      'libraries/Lib/prompts/part.md': '{{ nope }}',
    };
    plant(tree);
    const catalog = new Catalog([
      new CommandSource({ folder: join(folder, 'commands') }),
      new TwigSource({ folder: join(folder, 'libraries') }),
      new MountSource({ format: 'jsonl', path: join(folder, 'mounted'), prefix: 'm' }),
    ]);
    await catalog.list();
    plant({ 'commands/kept.md': 'broken' });
    const problems = await lintCatalog(catalog);
    expect(problems.map(({ message, prompts }) => [message, prompts])).toEqual([
      ['missing YAML frontmatter start delimiter', ['kept']],
      ['undefined variable: nope', ['lib:p', 'lib:q']],
      ['p: description is missing', ['lib:p']],
      ['m:a: {{x}} has no argument', ['m:a']],
      ['the line is not JSON', undefined],
      ['the prompt a is already defined on line 1', ['m:a']],
    ]);
    expect((await lintCatalog(catalog, ['kept'])).map(({ message }) => message)).toEqual([
      'missing YAML frontmatter start delimiter',
    ]);
    catalog.close();
  });
});
