import { describe, expect, it } from 'vitest';
import { formatNamed } from '../formats/formats.ts';
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
  it('that is valid has no findings', async () => {
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
        'prompts/p.md:1:4: error: undefined variable: input; a library does not define {{input}}, so declare it as an argument',
      ],
    ],
    [
      '{{ a|default("x") }}',
      [],
      ['prompts/p.md:1:4: warning: a is never set: it is not declared as an argument'],
    ],
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
    ['x\n{% include "no.md" %}', [], ['prompts/p.md:2:12: error: include: template not found: no.md']],
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
      [
        'prompts/p.md:1:13: error: chained comparisons are not supported; join two comparisons with "and" (at "<")',
      ],
    ],
    ['{% include code %}', ['code', 'other'], []],
  ])('is checked for problems: %s', async (prompt, names, expected) => {
    const found = await lint(library(prompt, names));
    // The engine can report the same problem at another position.
    for (const line of expected)
      expect(found.map(withoutSyntaxPosition)).toContain(withoutSyntaxPosition(line));
    expect(found.length).toBeGreaterThanOrEqual(expected.length);
    if (expected.length === 0) expect(found).toEqual([]);
  });

  /** Removes the position of a syntax error, because it depends on the engine. */
  function withoutSyntaxPosition(line: string): string {
    return line.replace(/:\d+:\d+: error: syntax error.*/, ': error: syntax error');
  }

  it('has findings with the file and line of an included template', async () => {
    expect(
      await lint(
        library('{% include "lib/part.md" %}', [], { 'prompts/lib/part.md': 'a\nb {{ gone|nope }}' }),
      ),
    ).toEqual([
      'prompts/lib/part.md:2:6: error: undefined variable: gone',
      'prompts/lib/part.md:2:11: error: unknown filter: nope',
    ]);
  });

  it('is reported if its file is missing or its entry in the manifest is invalid', async () => {
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

  it('with front matter has findings with line numbers of the whole file', async () => {
    expect(await lint({ 'x.md': '---\ndescription: d\ntemplate: jinja\n---\n\na\n{{ nope }}' })).toEqual([
      'x.md:7:4: error: undefined variable: nope',
    ]);
    expect((await lint({ 'x.md': '---\ndescription: d\ntemplate: jinja\n---\n{% if %}' }))[0]).toMatch(
      /^x\.md:5:\d+: error: syntax/,
    );
  });
});

describe('a JSONL prompt', () => {
  const record = (text: string, names: readonly string[]) =>
    `${JSON.stringify({ name: 'p', title: 'P', arguments: names.map((name) => ({ name })), messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;

  it.each<[string, readonly string[], readonly string[]]>([
    ['{{a}} and {{a}}', ['a'], []],
    [
      '{{a}} {{cod}}',
      ['a', 'code'],
      [
        'error: p: {{cod}} does not match any argument; did you mean {{code}}?',
        'warning: p: the argument code is never used',
      ],
    ],
    [
      '{{ a }}',
      ['a'],
      ['error: p: {{ a }} is not replaced because of the spaces inside the braces; write {{a}}'],
    ],
    [
      '{{ a }} {{a}}',
      ['a'],
      ['error: p: {{ a }} is not replaced because of the spaces inside the braces; write {{a}}'],
    ],
    [
      '{{a}} {{ b|upper }} {% if a %}',
      ['a'],
      ['warning: p: a Jinja statement is plain text here: this prompt is not a Jinja template'],
    ],
  ])('is checked for invalid placeholders: %s', async (text, names, expected) => {
    expect(await lint({ 'user.jsonl': record(text, names) })).toEqual(
      expected.map((line) => `user.jsonl:1: ${line}`),
    );
  });

  it('is reported if other servers do not accept its name', async () => {
    const text = JSON.stringify({ name: 'a.b', title: 'A', messages: [{ role: 'user', content: 'x' }] });
    expect(await lint({ 'user.jsonl': text })).toEqual([
      'user.jsonl:1: warning: a.b: the name contains characters other than letters, digits, underscores and hyphens',
    ]);
  });

  it('is reported if its line is not JSON or its name is used twice', async () => {
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
      [
        'x.md:5:1: error: {{ input }} is not replaced because of the spaces inside the braces; write {{input}}',
      ],
    ],
    ['{{topic}}', ['x.md:4:1: warning: {{topic}} is plain text here: only {{input}} is replaced']],
    [
      '{% for x in y %}{{ x|upper }}{% endfor %}',
      ['x.md:4:1: warning: a Jinja statement is plain text here: this prompt is not a Jinja template'],
    ],
  ])('is checked for invalid placeholders: %s', async (body, expected) => {
    expect(await lint({ 'x.md': `---\ndescription: d\n---\n${body}` })).toEqual(expected);
  });

  it('is not checked if it declares "template: none"', async () => {
    expect(await lint({ 'x.md': '---\ndescription: d\ntemplate: none\n---\n{{ input }} {% if %}' })).toEqual(
      [],
    );
  });
});

describe('files of other clients', () => {
  it('are recognized by their names, and their braces are plain text', async () => {
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

  it('are reported if two prompts have the same name', async () => {
    expect(
      await lint({ 'a.prompt.md': '---\nname: s\n---\nx', 'b.prompt.md': '---\nname: s\n---\ny' }),
    ).toEqual([
      'b.prompt.md:2: warning: this file is not served: the name s is already used by a.prompt.md, which has another text',
    ]);
  });

  it('reads values that are not YAML as text, as Claude Code does', async () => {
    const skill = (fields: string) =>
      lint({ 'a/SKILL.md': `---\nname: a\n${fields}\nmetadata:\n  author: b\n---\nx` }, 'claude-skills');
    for (const value of ['Use when: (1) it rains', '[NEW] Use it', '| Use it', '**Use** it', '*'])
      expect(await skill(`description: ${value}`)).toEqual([]);
    expect(await skill('description: "Use it')).toEqual([expect.stringContaining('are ignored')]);
  });

  it('knows that agents include no files, unlike commands', async () => {
    const text = '---\ndescription: d\n---\nRead @docs/x.md';
    const found = await lint({ 'p/agents/a.md': text, 'p/commands/c.md': text }, 'claude-plugins');
    expect(found).toEqual([expect.stringContaining('p/commands/c.md:4:6: note')]);
  });

  it('are served both if an agent and a skill have the same name', async () => {
    const text = '---\ndescription: d\n---\nx';
    expect(
      await lint({ 'p/agents/a.agent.md': text, 'p/skills/a/SKILL.md': text }, 'claude-plugins'),
    ).toEqual([]);
  });

  it.each([
    ['description: {{SKILL_DESCRIPTION}}', '{{SKILL_DESCRIPTION}}'],
    ['description: {{WHAT}}: {{WHEN}}', '{{WHAT}}: {{WHEN}}'],
    ['description: {{ what }} # when', '{{ what }} # when'],
    ['description: "{{WHAT}}"', '{{WHAT}}'],
  ])('can be templates to fill in: %s', async (field, description) => {
    for (const format of ['claude-skills', 'codex-skills', 'claude-plugins']) {
      const files = [
        {
          path: 'skills/a/SKILL.md',
          text: `---\nname: {{NAME}}\n${field}\nargument-hint: {{HINT}}\n---\nDo it`,
        },
      ].map(({ path, text }) => ({ path: format === 'claude-plugins' ? path : path.slice(7), text }));
      expect((await lintFiles(files, format)).problems).toEqual([]);
      const { prompts } = await (await formatNamed(format)).read(files);
      expect(prompts[0]!.description).toBe(description);
    }
  });

  it.each([
    ['remove @pytest.mark.asyncio, migrate', 0],
    ['@pytest.fixture\n@app.route\n@Component.Input', 0],
    ['ask @alice, @ada.lovelace or me@example.com, write to @example.com', 0],
    ['install @vue/shared and @types/node', 0],
    ['see @README.md and @src/main.ts, @./notes @~/x/y @$1', 5],
  ])('include only files, not decorators, people or packages: %s', async (text, count) => {
    for (const format of ['claude-code', 'opencode']) {
      const { problems } = await lintFiles([{ path: 'x.md', text }], format);
      const included = problems.filter(({ message }) => message.includes('includes a file'));
      expect(
        included.length + (included[0] ? Number(/and (\d+) more/.exec(included[0].message)?.[1] ?? 0) : 0),
      ).toBe(count);
    }
  });

  it('may contain the templates of other programs in HTML', async () => {
    const found = (text: string) => lint({ 'x/system.md': text }, 'fabric');
    expect(await found('<li v-for="a in b">{{ a }}</li>')).toEqual([]);
    expect(await found('<a :href="link">\n  {{ text }}\n</a>')).toEqual([]);
    expect(await found('Write about {{ topic }}')).toHaveLength(1);
  });
});

describe('syntax of another engine', () => {
  const command = (body: string, fields = '') => ({ 'x.md': `---\ndescription: d\n${fields}---\n${body}\n` });
  const jinja = (body: string) => ({
    'twig.toml': '[prompts.p]\ndescription = "d"\n',
    'prompts/p.md': body,
  });
  it.each<[files: Readonly<Record<string, string>>, line: number, message: string]>([
    [
      command('Do it.\nRead $ARGUMENTS'),
      5,
      '$ARGUMENTS is plain text here: write {{input}} for the text after the command',
    ],
    [
      command(`{{input}} for \${input:who:the name}`),
      4,
      `\${input:who:the name} is plain text here: write {{input}} for the text after the command`,
    ],
    [
      command('`{{#if a}}` {{#if b}}x{{/if}}'),
      4,
      '{{#if b}} is plain text here: this prompt is not a Handlebars template',
    ],
    [
      command('Hi {{ user.name }}'),
      4,
      '{{ user.name }} is plain text here: write {{input}} for the text after the command',
    ],
    [
      command('`$1` is not $2', 'template: braces\n'),
      5,
      '$2 is plain text here: write an argument as {{name}}',
    ],
    [
      jinja('{{ user.name }} $ARGUMENTS'),
      1,
      '$ARGUMENTS is plain text here: write an argument as {{ name }}',
    ],
  ])('is a warning: %j', async (files, line, message) => {
    const given = Object.entries(files).map(([path, text]) => ({ path, text }));
    const { problems } = await lintFiles(given);
    const found = problems.filter(({ rule }) => rule === 'plain-placeholder');
    expect(found).toMatchObject([{ line, message, severity: 'warning' }]);
  });

  it.each([
    command(`It costs $5, or $1 for each. \`$ARGUMENTS\` and \`\${input:x}\` are examples.`),
    command('```\n{{#if a}} {{user.name}} $ARGUMENTS\n```\n{{input}}'),
    command(`Run \${{ github.event }} and \\{{user.name}}`),
    command('Hi {{user.name}}', 'template: braces\narguments: [{ name: user.name }]\n'),
    command('Hi {{user.name}} $ARGUMENTS', 'template: none\n'),
  ])('is not reported in code, for prices and where nothing is replaced: %j', async (files) => {
    const given = Object.entries(files).map(([path, text]) => ({ path, text }));
    expect((await lintFiles(given)).problems).toEqual([]);
  });
});

describe('a finding', () => {
  const command = (fields: string, body = 'Do it') => ({ 'x.md': `---\n${fields}\n---\n\n${body}` });
  it.each<[string, Readonly<Record<string, string>>, string | undefined, string, RegExp]>([
    [
      'a misspelled field',
      command('tags: []\ndescripton: d'),
      undefined,
      'x.md:3: warning',
      /correct its name$/,
    ],
    [
      'a hidden character in a field',
      command('tags: []\ndescription: a\u200Bb'),
      undefined,
      'x.md:1: warning',
      /delete/,
    ],
    [
      'a description that is a list',
      command('tags: []\ndescription: [a]'),
      undefined,
      'x.md:3: error',
      /place/,
    ],
    ['arguments with a mistake', command('tags: []\narguments: [{}]'), undefined, 'x.md:3: error', /place/],
    [
      'an argument that is declared twice',
      command('template: braces\narguments: [{ name: a }, { name: a }]', '{{a}}'),
      undefined,
      'x.md:3: error',
      /place/,
    ],
    [
      'a description that a lenient client ignores',
      command('model: x\ndescription: [a]'),
      'claude-code',
      'x.md:3: warning',
      /write the description as text/,
    ],
    [
      'a title that is a list',
      { 'x.prompt.md': '---\nmode: x\ntitle: [a]\n---\nx' },
      undefined,
      'x.prompt.md:3: error',
      /place/,
    ],
    [
      'a missing description',
      { 'a/SKILL.md': '---\nname: a\n---\nx' },
      'codex-skills',
      'a/SKILL.md:1: warning',
      /add a description/,
    ],
    [
      'an empty description',
      { 'a/SKILL.md': '---\nname: a\ndescription:\n---\nx' },
      'codex-skills',
      'a/SKILL.md:3: warning',
      /add a description/,
    ],
    [
      'a missing prompt',
      { 'x.toml': 'description = "d"' },
      'gemini',
      'x.toml:1: error: prompt is missing',
      /^add it$/,
    ],
    [
      'an empty prompt',
      { 'x.toml': 'description = "d"\nprompt = ""' },
      'gemini',
      'x.toml:2: error: prompt is empty',
      /place/,
    ],
    [
      'a prompt that is a number',
      { 'x.toml': 'description = "d"\nprompt = 5' },
      'gemini',
      'x.toml:2: error: prompt must be text',
      /place/,
    ],
    [
      'front matter that is never closed',
      { 'x.md': '---\ndescription: d\n\nDo it' },
      undefined,
      'x.md:',
      /add a line of three dashes/,
    ],
    [
      'a field of another program',
      command('description: d\ntool_access: all'),
      'claude-code',
      'x.md:3: note',
      /another program/,
    ],
    [
      'syntax of a client',
      command('description: d', 'Read @docs/x.md'),
      'claude-code',
      'x.md:5:6: note',
      /only in that program/,
    ],
    [
      'a method that is missing',
      library('{{ code }}{{ [1].append(2) }}', ['code']),
      undefined,
      'prompts/p.md:1',
      /docs\/reference\/templates.md/,
    ],
    [
      'two prompts of one name',
      { 'a.prompt.md': '---\nname: s\n---\nx', 'b.prompt.md': '---\nmode: agent\nname: s\n---\n\ny' },
      undefined,
      'b.prompt.md:3: warning',
      /^rename/,
    ],
    [
      'a name from a path',
      { 'a/x.prompt.md': 'x', 'b/x.prompt.md': '---\nmode: agent\n---\ny' },
      undefined,
      'b/x.prompt.md:1: warning',
      /^rename/,
    ],
  ])('is at its place with fitting advice: %s', async (_, files, format, place, advice) => {
    const given = Object.entries(files).map(([path, text]) => ({ path, text }));
    const { problems } = await lintFiles(given, format);
    expect(await lint(files, format)).toEqual([expect.stringContaining(place)]);
    expect(problems[0]!.remedy).toMatch(advice);
  });
});
