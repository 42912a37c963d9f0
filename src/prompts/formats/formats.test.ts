import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import type { TextFile } from './format.ts';
import { formatNamed, formats } from './formats.ts';

function fixture(name: string): readonly TextFile[] {
  const folder = join('test', 'fixtures', 'formats', name);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({
      path: path.slice(folder.length + 1).replaceAll(sep, '/'),
      text: readFileSync(path, 'utf8'),
    }));
}

async function read(name: string, files: readonly TextFile[] = fixture(name)): Promise<Reading> {
  return formatNamed(name).read(files);
}

function textOf({ messages }: PromptDefinition): readonly string[] {
  return messages.map(
    ({ role, content }) => `${role}: ${content.type === 'text' ? content.text : content.type}`,
  );
}

const shown = ({ problems }: Reading) =>
  problems.map(
    ({ file, line, column, message }) => `${[file, line, column].filter(Boolean).join(':')}: ${message}`,
  );

describe('reading', () => {
  it('Claude Code commands', async () => {
    const reading = await read('claude-code');
    expect(reading.prompts.map(({ name, description }) => [name, description])).toEqual([
      ['fix-issue', 'Find and fix an issue by its number'],
      ['git:commit', 'Write a commit message'],
      ['review', 'Review the code below for security problems.'],
    ]);
    expect(reading.prompts.map(({ arguments: declared }) => declared)).toEqual([
      [
        { name: 'issue-number', default: '$0' },
        { name: 'priority', default: '$1' },
      ],
      [{ name: 'message', default: '' }],
      [{ name: 'arguments', default: '' }],
    ]);
    expect(textOf(reading.prompts[0]!)[0]).toContain(
      'Look at issue #{{issue-number}} and fix it. Its priority is {{priority}}.',
    );
    expect(textOf(reading.prompts[0]!)[0]).toContain('under $100, whatever $HOME is.');
    expect(shown(reading)).toEqual([
      'fix-issue.md:2: the field allowed-tools has no counterpart and is left out',
      'fix-issue.md:5: the field model has no counterpart and is left out',
      'fix-issue.md:12:19: !`git branch --show-current` runs a command in Claude Code; it stays in the text as it is',
      'fix-issue.md:13:20: @docs/style.md brings in a file in Claude Code; it stays in the text as it is',
      'fix-issue.md:15:18: $100 may be taken for an argument by Claude Code; it stays in the text as it is',
    ]);
  });

  it('Claude Code skills', async () => {
    const { prompts, problems } = await read('claude-skills');
    expect(prompts).toMatchObject([
      {
        name: 'release-notes',
        arguments: [{ name: 'from' }, { name: 'to' }],
        file: 'release-notes/SKILL.md',
        line: 6,
      },
    ]);
    expect(problems).toEqual([]);
    const named = await read('claude-skills', [
      {
        path: 'x/SKILL.md',
        text: '---\narguments: [issue, branch]\n---\nFix $issue on $branch, not $other.',
      },
    ]);
    expect(named.prompts.map(textOf)).toEqual([['user: Fix {{issue}} on {{branch}}, not $other.']]);
  });

  it('Codex prompts', async () => {
    const { prompts, problems } = await read('codex');
    expect(problems).toEqual([]);
    expect(prompts.map(({ name, arguments: declared }) => [name, declared])).toEqual([
      [
        'draft-pr',
        [
          { name: 'FILES', required: true },
          { name: 'PR_TITLE', required: true },
        ],
      ],
      [
        'explain',
        [
          { name: 'argument_1', default: '$1' },
          { name: 'argument_2', default: '$2' },
          { name: 'arguments', default: '' },
        ],
      ],
      ['triage', []],
    ]);
    expect(textOf(prompts[0]!)[0]).toContain('The price is $$5, not $$FILES.');
  });

  it('VS Code prompt files', async () => {
    const reading = await read('vscode');
    expect(reading.prompts[0]).toMatchObject({
      name: 'create-form',
      arguments: [
        { name: 'formName', description: 'The name of the form, in camel case', required: true },
        { name: 'fields', required: true },
      ],
    });
    expect(shown(reading)).toEqual([
      'create-form.prompt.md:2: the field agent has no counterpart and is left out',
      'create-form.prompt.md:3: the field model has no counterpart and is left out',
      'create-form.prompt.md:4: the field tools has no counterpart and is left out',
      `create-form.prompt.md:11:54: \${selection} is filled in by VS Code; it stays in the text as it is`,
      'create-form.prompt.md:11:25: ](../docs/design.md) is a link whose file VS Code brings in; it stays in the text as it is',
    ]);
  });

  it('Gemini CLI commands', async () => {
    const reading = await read('gemini');
    expect(reading.prompts.map(({ name, description, line }) => [name, description, line])).toEqual([
      ['git:commit', 'Writes a commit message from what is staged.', 3],
      ['plan', 'Think first, then act.', 4],
    ]);
    expect(textOf(reading.prompts[1]!)).toEqual([
      'user: Make a plan for this task and wait for a go:\n\n{{args}}',
    ]);
    expect(shown(reading)).toEqual([
      'git/commit.toml:6:1: !{git diff --staged} runs a command in Gemini CLI; it stays in the text as it is',
      'git/commit.toml:9:17: @{docs/commits.md} brings in a file in Gemini CLI; it stays in the text as it is',
    ]);
  });

  it('fabric patterns', async () => {
    const { prompts, problems } = await read('fabric');
    expect(problems).toEqual([]);
    expect(prompts.map(({ name, arguments: declared }) => [name, declared.map((one) => one.name)])).toEqual([
      ['summarize', ['input']],
      ['write_essay', ['author_name', 'input']],
    ]);
    expect(textOf(prompts[0]!)[0]!.endsWith('INPUT:\n{{input}}')).toBe(true);
  });

  it('dotprompt files', async () => {
    const reading = await read('dotprompt');
    const [chat, greeting, translate] = reading.prompts;
    expect(textOf(chat!)).toEqual([
      'user: What is a prompt?',
      'assistant: A text that asks for something.',
      'user: {{question}}',
    ]);
    expect(greeting).toMatchObject({
      template: 'jinja',
      arguments: [
        { name: 'location', description: 'where the greeting happens', default: 'a restaurant' },
        { name: 'style', description: 'how to speak', values: ['formal', 'pirate'] },
        { name: 'name' },
      ],
    });
    expect(textOf(translate!)).toEqual([
      'user: Translate to {{language}} and leave {{braces}} alone:\n\n{{text}}',
    ]);
    expect(shown(reading)).toEqual([
      'greeting.prompt:2: the field model has no counterpart and is left out',
      'greeting.prompt:3: the field config has no counterpart and is left out',
      "greeting.prompt: the role system becomes the user's",
    ]);
  });

  it('dotprompt conditions, which render as Handlebars would', async () => {
    const { prompts } = await read('dotprompt');
    const greeting = prompts.find(({ name }) => name === 'greeting')!;
    const source = { name: 'x', list: async () => [], get: async () => undefined, problems: async () => [] };
    const texts = async (args: Record<string, string>) =>
      (await renderPrompt(greeting, args, source)).messages.map(
        ({ content }) => 'text' in content && content.text,
      );
    expect(await texts({ name: 'Ann', style: 'pirate' })).toEqual([
      "You are the world's most welcoming assistant and work at a restaurant.",
      'Greet a guest named Ann.\nSpeak in the style of pirate.\nBe short.',
    ]);
    expect((await texts({ location: 'home' }))[1]).toBe('Greet a guest.\nSpeak as you like.\nBe short.');
  });

  it('our own three', async () => {
    expect((await read('commands')).prompts.map(({ name, template }) => [name, template])).toEqual([
      ['letter', 'braces'],
      ['research', 'input'],
    ]);
    expect((await read('jsonl')).prompts.map(({ name }) => name)).toEqual(['api_design', 'chat']);
    expect((await read('twig')).prompts.map(({ name }) => name)).toEqual(['code_lib:review', 'talk:greet']);
  });
});

describe('writing', () => {
  it.each(formats.map(({ name }) => name))('%s and reading it again gives the same prompts', async (name) => {
    const { prompts } = await read(name);
    const written = await formatNamed(name).write(prompts);
    const refused = new Set(
      written.problems
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message.split(': ')[0]),
    );
    const plain = ({ line: _, file: _file, ...rest }: PromptDefinition) => rest;
    const again = await read(name, written.files);
    const renamed = (one: PromptDefinition) => ({
      ...one,
      name: one.name.replace(/^(code_lib|talk):/, '$1-'),
    });
    const expected = prompts
      .filter((one) => !refused.has(one.name.split(':')[0]) && !refused.has(one.name))
      .map((one) => (name === 'twig' ? renamed(one) : one));
    expect(again.prompts.map(plain)).toEqual(expected.map(plain));
    expect(expected.length).toBeGreaterThan(0);
  });

  it.each([
    ['codex', 'draft-pr.md'],
    ['codex', 'triage.md'],
    ['vscode', 'explain.prompt.md'],
    ['fabric', 'write_essay/system.md'],
    ['dotprompt', 'chat.prompt'],
    ['dotprompt', 'translate.prompt'],
    ['commands', 'letter.md'],
    ['commands', 'research.md'],
    ['jsonl', 'user.jsonl'],
  ])('%s gives back %s byte for byte', async (name, path) => {
    const files = fixture(name);
    const { files: written } = await formatNamed(name).write((await read(name, files)).prompts);
    expect(written.find((file) => file.path === path)).toEqual(files.find((file) => file.path === path));
  });

  const letter: PromptDefinition = {
    name: 'post:letter',
    title: 'A letter',
    description: 'Writes a letter: "quoted" # and all',
    arguments: [
      { name: 'to', description: 'Who gets it', required: true },
      { name: 'tone', default: 'warm', values: ['warm', 'cold'] },
    ],
    messages: [
      { role: 'user', content: { type: 'text', text: 'Write a {{tone}} letter to {{to}}.\n\nTo {{to}}!' } },
    ],
    tags: ['mail'],
    template: 'braces',
    file: 'user.jsonl',
    line: 1,
  };

  it('one prompt to every format, telling what is lost', async () => {
    const written = await Promise.all(
      formats.map(async (format) => [format.name, await format.write([letter])] as const),
    );
    const summary = written.map(([name, { files, problems }]) => [
      name,
      files.map(({ path }) => path),
      problems.map(({ severity, message }) => `${severity}: ${message}`),
    ]);
    const lost = 'left out: title, tags, argument descriptions, defaults, values';
    expect(summary).toEqual([
      ['claude-code', ['post/letter.md'], [`warning: post:letter: ${lost}`]],
      [
        'claude-skills',
        ['post-letter/SKILL.md'],
        ['warning: post:letter: the name becomes post-letter', `warning: post:letter: ${lost}`],
      ],
      [
        'codex',
        ['post-letter.md'],
        [
          'warning: post:letter: the name becomes post-letter',
          'warning: post:letter: the argument tone must always be given in Codex',
          `warning: post:letter: ${lost}`,
        ],
      ],
      [
        'vscode',
        ['post-letter.prompt.md'],
        [
          'warning: post:letter: the name becomes post-letter',
          'warning: post:letter: the argument tone is always asked for in VS Code',
          'warning: post:letter: left out: tags, defaults, values',
        ],
      ],
      ['gemini', [], ['error: post:letter: it has the arguments tone, to, and Gemini CLI has one']],
      [
        'fabric',
        ['post-letter/system.md'],
        [
          'warning: post:letter: the name becomes post-letter',
          'warning: post:letter: fabric puts the input behind the text',
          'warning: post:letter: left out: title, description, tags, argument descriptions, defaults, values',
        ],
      ],
      ['dotprompt', ['post/letter.prompt'], ['warning: post:letter: left out: tags']],
      ['commands', ['post-letter.md'], ['warning: post:letter: the name becomes post-letter']],
      ['jsonl', ['user.jsonl'], ['warning: post:letter: the name becomes post_letter']],
      ['twig', ['twig.toml', 'prompts/letter.md'], []],
    ]);
    const codex = written.find(([name]) => name === 'codex')![1].files[0]!.text;
    expect(codex).toContain('Write a $TONE letter to $TO.');
    const claude = written.find(([name]) => name === 'claude-code')![1].files[0]!.text;
    expect(claude).toContain('Write a $1 letter to $0.');
    expect(claude).toContain('argument-hint: <to> [tone]');
  });

  it.each<[string, string, string]>([
    ['claude-code', 'costs $1 each', 'its text holds $1, which Claude Code would act on'],
    ['claude-code', 'run !`rm -rf /` now', 'its text holds !`rm -rf /`, which Claude Code would act on'],
    ['codex', 'see $HOME', 'its text holds $HOME, which would be replaced'],
    ['vscode', `a \${input:x}`, `its text holds \${input:x}, which would be replaced`],
    ['gemini', 'a !{rm -rf /}', 'its text holds !{, which Gemini CLI would act on'],
    ['gemini', 'a {{args}}', 'its text holds {{args}}, which Gemini CLI would act on'],
    ['fabric', 'a {{plugin:sys:env}}', 'its text holds {{, which fabric would replace'],
  ])('to %s refuses text that would come alive: %s', async (name, text, message) => {
    const plain: PromptDefinition = {
      ...letter,
      arguments: [],
      template: 'none',
      messages: [{ role: 'user', content: { type: 'text', text } }],
    };
    const { files, problems } = await formatNamed(name).write([plain]);
    expect(files).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'error', message: `post:letter: ${message}` }]);
  });

  it.each([
    '../evil',
    '..',
    '.hidden',
    'a/b',
    'a\\b',
    'a\0b',
    '',
    'C:',
    'nul',
    'a:',
    ':a',
    'x'.repeat(200),
    'a:../../b',
  ])('never leaves the folder: %j', async (name) => {
    for (const format of formats) {
      if (format.name === 'jsonl') continue;
      const { files } = await format.write([{ ...letter, name, arguments: [], template: 'none' }]);
      expect(files).toEqual([]);
    }
  });

  it('turns Jinja that only names its arguments into other formats, and says no to the rest', async () => {
    const jinja = (text: string): PromptDefinition => ({
      ...letter,
      template: 'jinja',
      messages: [{ role: 'user', content: { type: 'text', text } }],
    });
    const simple = await formatNamed('jsonl').write([jinja('Dear {{ to }}, {{tone}}.')]);
    expect(simple.files[0]!.text).toContain('Dear {{to}}, {{tone}}.');
    for (const text of [
      '{% if to %}x{% endif %}',
      '{{ to|upper }}',
      '{{ to',
      '{# note #}{{ to }}',
      '{{ to }}{{',
    ]) {
      const { files, problems } = await formatNamed('jsonl').write([jinja(text)]);
      expect([files, problems.at(-1)?.severity]).toEqual([[], 'error']);
    }
  });

  it('keeps text that looks like a template when it becomes one', async () => {
    const text = 'a {{x}} {% raw %} {% endraw %} {# no #} {{to}}';
    const { files } = await formatNamed('twig').write([
      {
        ...letter,
        arguments: [letter.arguments[0]!],
        messages: [{ role: 'user', content: { type: 'text', text } }],
      },
    ]);
    const { Jinja } = await import('../jinja/jinja.ts');
    const jinja = new Jinja();
    jinja.set('t.md', files.find(({ path }) => path.endsWith('.md'))!.text);
    expect(jinja.render('t.md', { to: 'Ann' })).toBe('a {{x}} {% raw %} {% endraw %} {# no #} Ann');
    jinja.close();
  });

  it('reports two prompts that would share one file', async () => {
    const { files, problems } = await formatNamed('fabric').write([
      { ...letter, name: 'a:b' },
      { ...letter, name: 'A-B' },
    ]);
    expect(files).toHaveLength(1);
    expect(problems.at(-1)).toMatchObject({
      severity: 'error',
      message: 'A-B: another prompt is already in A-B/system.md',
    });
  });
});

describe('bad input', () => {
  const bomb = `---\na: &a [${'x,'.repeat(9)}x]\n${'bcdefgh'
    .split('')
    .map((key, index) => `${key}: &${key} [${`*${'abcdefgh'[index]},`.repeat(9)}*${'abcdefgh'[index]}]`)
    .join('\n')}\ndescription: boom\n---\nbody`;
  const cases: readonly [string, string, RegExp | undefined][] = [
    ['nothing', '', /no text|must be text|missing/],
    ['only blanks', ' \n\n ', /no text|must be text|missing/],
    ['front matter without an end', '---\ndescription: x\nbody', /delimiter/],
    ['front matter without a body', '---\ndescription: x\n---\n', /no text|required/],
    ['a YAML bomb', bomb, /alias/i],
    ['YAML with a tab', '---\n\ta: : b\n- c\n---\nbody', /./],
    ['a description that is a list', '---\ndescription: [a, b]\n---\nbody', /description must be text/],
    ['TOML that is broken', 'prompt = """never closed', /./],
    ['TOML with a key twice', 'prompt = "a"\nprompt = "b"', /./],
    ['TOML with a number for a prompt', 'prompt = 5', /prompt must be text/],
  ];
  const paths: Readonly<Record<string, string>> = {
    'claude-code': 'x.md',
    'claude-skills': 'x/SKILL.md',
    codex: 'x.md',
    vscode: 'x.prompt.md',
    gemini: 'x.toml',
    fabric: 'x/system.md',
    dotprompt: 'x.prompt',
    commands: 'x.md',
    jsonl: 'x.jsonl',
    twig: 'x/twig.toml',
  };

  it.each(Object.entries(paths))('never throws in %s', async (name, path) => {
    for (const [, text] of cases) {
      const { prompts, problems } = await read(name, [{ path, text }]);
      for (const problem of problems) expect(problem.message).not.toBe('');
      for (const prompt of prompts) expect(prompt.messages.length).toBeGreaterThan(0);
    }
  });

  it.each(cases.filter(([, text]) => text.startsWith('---')))(
    'says what is wrong: %s',
    async (_, text, message) => {
      const { prompts, problems } = await read('claude-code', [{ path: 'x.md', text }]);
      expect(prompts).toEqual([]);
      expect(problems).toMatchObject([{ severity: 'error', message: expect.stringMatching(message!) }]);
    },
  );

  it.each([
    '{{#each items}}x{{/each}}',
    '{{> partial}}',
    '{{media url=image}}',
    '{{history}}',
    '{{user.name}}',
    '{{json x}}',
    '{{#if a}}never closed',
    'x{{/if}}',
    '{{else}}',
    '{{#if a}}{{role "user"}}{{/if}}',
  ])('does not guess what dotprompt means by %s', async (body) => {
    const { prompts, problems } = await read('dotprompt', [
      { path: 'x.prompt', text: `---\nname: x\n---\nline\n${body}` },
    ]);
    expect(prompts).toEqual([]);
    expect(problems.at(-1)).toMatchObject({ severity: 'error', line: expect.any(Number) });
  });

  it('takes text that looks like the place of an argument for an error', async () => {
    const { prompts, problems } = await read('claude-code', [
      { path: 'x.md', text: 'a\n{{arguments}} $ARGUMENTS' },
    ]);
    expect(prompts).toEqual([]);
    expect(problems).toMatchObject([
      { line: 2, message: 'the text {{arguments}} cannot be told from the place of an argument' },
    ]);
  });

  it('reads a byte order mark and CRLF', async () => {
    const text = '\uFEFF---\r\ndescription: d\r\n---\r\na\r\n$ARGUMENTS\r\n';
    const { prompts } = await read('claude-code', [{ path: 'x.md', text }]);
    expect(prompts).toMatchObject([{ description: 'd', line: 4 }]);
    expect(textOf(prompts[0]!)).toEqual(['user: a\n{{arguments}}']);
  });

  it('takes a time that grows no faster than the text', async () => {
    const units = [
      '$',
      '$1',
      '@',
      '@a.',
      '!`',
      '{{',
      '{{!--',
      '${input:',
      '${a',
      '!{',
      '@{',
      '](',
      '#file:',
      '---\n',
      '{{ ',
      '\\{{',
      '{{#if a}}',
      "'''",
    ];
    for (const unit of units) {
      const text = `x\n${unit.repeat(Math.ceil(100_000 / unit.length))}`;
      const escaped = JSON.stringify(text).replaceAll('\x7f', '');
      const started = performance.now();
      for (const [name, path] of Object.entries(paths))
        await read(name, [{ path, text: name === 'gemini' ? `prompt = ${escaped}` : text }]);
      // A hang, not a measurement.
      expect(performance.now() - started).toBeLessThan(20_000);
    }
  });

  it('has a page that names every format and its folder', () => {
    const page = readFileSync('docs/prompt-formats.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(formats.map(({ name }) => name));
  });

  it('names the formats there are', () => {
    expect(() => formatNamed('claudecode')).toThrowError(
      'There is no format claudecode; did you mean claude-code?',
    );
    expect(() => formatNamed('word')).toThrowError(/choose one of claude-code, claude-skills/);
  });
});
