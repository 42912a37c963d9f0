import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import type { TextFile } from './format.ts';
import { formatNamed, formatNames, loadFormats } from './formats.ts';

const formats = await loadFormats();

const fixtures = join('test', 'fixtures', 'formats');

function fixture(name: string): readonly TextFile[] {
  const folder = join(fixtures, name);
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
  return (await formatNamed(name)).read(files);
}

function textOf({ messages }: PromptDefinition): readonly string[] {
  return messages.map(
    ({ role, content }) => `${role}: ${content.type === 'text' ? content.text : content.type}`,
  );
}

const formatProblems = ({ problems }: Reading) =>
  problems.map(
    ({ file, line, column, message }) => `${[file, line, column].filter(Boolean).join(':')}: ${message}`,
  );

describe('reading files', () => {
  it('parses Claude Code commands', async () => {
    const reading = await read('claude-code');
    expect(reading.prompts.map(({ name, description }) => [name, description])).toEqual([
      ['fix-issue', 'Find and fix an issue by its number'],
      ['git:commit', 'Write a commit message'],
      ['review', undefined],
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
    expect(formatProblems(reading)).toEqual([
      'fix-issue.md:12:19: !`git branch --show-current` runs a command in Claude Code; here it stays plain text',
      'fix-issue.md:13:20: @docs/style.md includes a file in Claude Code; here it stays plain text',
    ]);
  });

  it('parses Claude Code skills', async () => {
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

  it('parses Codex prompts', async () => {
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

  it('parses VS Code prompt files', async () => {
    const reading = await read('vscode');
    expect(reading.prompts[0]).toMatchObject({
      name: 'create-form',
      arguments: [
        { name: 'formName', description: 'The name of the form, in camel case', required: true },
        { name: 'fields', required: true },
      ],
    });
    expect(formatProblems(reading)).toEqual([
      `create-form.prompt.md:11:54: \${selection} is replaced by VS Code; here it stays plain text`,
      'create-form.prompt.md:11:25: ](../docs/design.md) is a link to a file that VS Code includes; here it stays plain text',
    ]);
  });

  it('parses Gemini CLI commands', async () => {
    const reading = await read('gemini');
    expect(reading.prompts.map(({ name, description, line }) => [name, description, line])).toEqual([
      ['git:commit', 'Writes a commit message from what is staged.', 3],
      ['plan', 'Think first, then act.', 4],
    ]);
    expect(textOf(reading.prompts[1]!)).toEqual([
      'user: Make a plan for this task and wait for a go:\n\n{{args}}',
    ]);
    expect(formatProblems(reading)).toEqual([
      'git/commit.toml:9:17: @{docs/commits.md} includes a file in Gemini CLI; here it stays plain text',
    ]);
  });

  it('parses fabric patterns', async () => {
    const { prompts, problems } = await read('fabric');
    expect(problems).toEqual([]);
    expect(prompts.map(({ name, arguments: declared }) => [name, declared.map((one) => one.name)])).toEqual([
      ['summarize', ['input']],
      ['write_essay', ['author_name', 'input']],
    ]);
    expect(textOf(prompts[0]!)[0]!.endsWith('INPUT:\n{{input}}')).toBe(true);
  });

  it('parses dotprompt files', async () => {
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
    expect(formatProblems(reading)).toEqual([
      'greeting.prompt:3: the field config is not supported and was ignored',
      'greeting.prompt: the role system is not supported, so the message becomes a user message',
    ]);
  });

  it('renders dotprompt conditions as Handlebars does', async () => {
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

  it('parses commands, JSONL and twig libraries', async () => {
    expect((await read('commands')).prompts.map(({ name, template }) => [name, template])).toEqual([
      ['letter', 'braces'],
      ['research', 'input'],
    ]);
    expect((await read('jsonl')).prompts.map(({ name }) => name)).toEqual(['api_design', 'chat']);
    expect((await read('twig')).prompts.map(({ name }) => name)).toEqual(['code_lib:review', 'talk:greet']);
  });
});

describe('writing files', () => {
  it.each(readdirSync(fixtures).filter((name) => formatNames.includes(name)))(
    'preserves the prompts when they are written as %s and read again',
    async (name) => {
      const { prompts } = await read(name);
      const written = await (await formatNamed(name)).write(prompts);
      const rejected = new Set(
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
        .filter((one) => !rejected.has(one.name.split(':')[0]) && !rejected.has(one.name))
        .map((one) => (name === 'twig' ? renamed(one) : one));
      expect(again.prompts.map(plain)).toEqual(expected.map(plain));
      expect(expected.length).toBeGreaterThan(0);
    },
  );

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
  ])('in the format %s reproduces %s byte for byte', async (name, path) => {
    const files = fixture(name);
    const { files: written } = await (await formatNamed(name)).write((await read(name, files)).prompts);
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

  it('exports a prompt to every format and reports the parts that are lost', async () => {
    const written = await Promise.all(
      formats.map(async (format) => [format.name, await format.write([letter])] as const),
    );
    const summary = written.map(([name, { files, problems }]) => [
      name,
      files.map(({ path }) => path),
      problems.map(({ severity, message }) => `${severity}: ${message}`),
    ]);
    const lost = 'not exported: title, tags, argument descriptions, defaults, values';
    const expected = [
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
          'warning: post:letter: the argument tone is optional here but required in Codex',
          `warning: post:letter: ${lost}`,
        ],
      ],
      [
        'codex-skills',
        [],
        ['error: post:letter: it has the arguments tone, to, but the format has no placeholders'],
      ],
      [
        'vscode',
        ['post-letter.prompt.md'],
        [
          'warning: post:letter: the name becomes post-letter',
          'warning: post:letter: the argument tone is optional here but required in VS Code',
          'warning: post:letter: not exported: tags, defaults, values',
        ],
      ],
      ['gemini', [], ['error: post:letter: it has the arguments tone, to, but Gemini CLI supports only one']],
      ['qwen', [], ['error: post:letter: it has the arguments tone, to, but Gemini CLI supports only one']],
      ['opencode', ['post/letter.md'], [`warning: post:letter: ${lost}`]],
      [
        'cursor',
        [],
        ['error: post:letter: it has the arguments tone, to, but the format has no placeholders'],
      ],
      ['prompts-chat', ['prompts.csv'], []],
      [
        'fabric',
        ['post-letter/system.md'],
        [
          'warning: post:letter: the name becomes post-letter',
          'warning: post:letter: fabric appends the input to the text',
          'warning: post:letter: not exported: title, description, tags, argument descriptions, defaults, values',
        ],
      ],
      ['dotprompt', ['post/letter.prompt'], ['warning: post:letter: not exported: tags']],
      ['commands', ['post-letter.md'], ['warning: post:letter: the name becomes post-letter']],
      ['jsonl', ['user.jsonl'], ['warning: post:letter: the name becomes post_letter']],
      ['twig', ['twig.toml', 'prompts/letter.md'], []],
    ];
    expect(summary).toEqual(expect.arrayContaining(expected));
    const codex = written.find(([name]) => name === 'codex')![1].files[0]!.text;
    expect(codex).toContain('Write a $TONE letter to $TO.');
    const claude = written.find(([name]) => name === 'claude-code')![1].files[0]!.text;
    expect(claude).toContain('Write a $1 letter to $0.');
    expect(claude).toContain('argument-hint: <to> [tone]');
  });

  it.each<[string, string, string]>([
    ['claude-code', 'costs $1 each', 'its text contains $1, which Claude Code would interpret'],
    [
      'claude-code',
      'run !`rm -rf /` now',
      'its text contains !`rm -rf /`, which Claude Code would interpret',
    ],
    ['codex', 'see $HOME', 'its text contains $HOME, which Codex would replace'],
    ['vscode', `a \${input:x}`, `its text contains \${input:x}, which VS Code would replace`],
    ['gemini', 'a !{rm -rf /}', 'its text contains !{, which Gemini CLI would interpret'],
    ['gemini', 'a {{args}}', 'its text contains {{args}}, which Gemini CLI would interpret'],
    ['fabric', 'a {{plugin:sys:env}}', 'its text contains {{, which fabric would replace'],
  ])('to %s rejects text that the client would interpret: %s', async (name, text, message) => {
    const plain: PromptDefinition = {
      ...letter,
      arguments: [],
      template: 'none',
      messages: [{ role: 'user', content: { type: 'text', text } }],
    };
    const { files, problems } = await (await formatNamed(name)).write([plain]);
    expect(files).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'error', message: `post:letter: ${message}` }]);
  });

  it.each([
    '../evil',
    '..',
    '.hidden',
    'a\\b',
    'a\0b',
    '',
    'C:',
    'nul',
    'a:',
    ':a',
    'x'.repeat(200),
    'a:../../b',
  ])('rejects a name that is not a safe path: %j', async (name) => {
    for (const format of formats) {
      if (['jsonl', 'prompts-chat'].includes(format.name)) continue;
      const { files } = await format.write([{ ...letter, name, arguments: [], template: 'none' }]);
      expect(files).toEqual([]);
    }
  });

  it.each(['claude-code', 'claude-skills', 'opencode'])(
    'refuses more arguments than %s has numbers for',
    async (name) => {
      const format = await formatNamed(name);
      const names = Array.from({ length: 21 }, (_, index) => `a${index}`);
      const withArguments = (used: readonly string[]) => ({
        ...letter,
        arguments: used.map((own) => ({ name: own })),
        messages: [
          {
            role: 'user' as const,
            content: { type: 'text' as const, text: used.map((own) => `{{${own}}}`).join(' ') },
          },
        ],
      });
      expect((await format.write([withArguments(names.slice(1))])).files).toHaveLength(1);
      expect(await format.write([withArguments(names)])).toMatchObject({
        files: [],
        problems: [{ message: 'post:letter: it uses 21 arguments, but the format supports only 20' }],
      });
    },
  );

  it('converts Jinja that contains only variables, and rejects other Jinja', async () => {
    const jinja = (text: string): PromptDefinition => ({
      ...letter,
      template: 'jinja',
      messages: [{ role: 'user', content: { type: 'text', text } }],
    });
    const simple = await (await formatNamed('jsonl')).write([jinja('Dear {{ to }}, {{tone}}.')]);
    expect(simple.files[0]!.text).toContain('Dear {{to}}, {{tone}}.');
    for (const text of [
      '{% if to %}x{% endif %}',
      '{{ to|upper }}',
      '{{ to',
      '{# note #}{{ to }}',
      '{{ to }}{{',
    ]) {
      const { files, problems } = await (await formatNamed('jsonl')).write([jinja(text)]);
      expect([files, problems.at(-1)?.severity]).toEqual([[], 'error']);
    }
  });

  it('escapes text that looks like Jinja when exporting to a template', async () => {
    const text = 'a {{x}} {% raw %} {% endraw %} {# no #} {{to}}';
    const { files } = await (await formatNamed('twig')).write([
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

  it('reports two prompts that would be written to the same file', async () => {
    const { files, problems } = await (await formatNamed('fabric')).write([
      { ...letter, name: 'a:b' },
      { ...letter, name: 'A-B' },
    ]);
    expect(files).toHaveLength(1);
    expect(problems.at(-1)).toMatchObject({
      severity: 'error',
      message: 'A-B: another prompt is already written to A-B/system.md',
    });
  });
});

describe('invalid input', () => {
  const bomb = `---\na: &a [${'x,'.repeat(9)}x]\n${'bcdefgh'
    .split('')
    .map((key, index) => `${key}: &${key} [${`*${'abcdefgh'[index]},`.repeat(9)}*${'abcdefgh'[index]}]`)
    .join('\n')}\ndescription: boom\n---\nbody`;
  const cases: readonly [string, string, RegExp | undefined][] = [
    ['an empty file', '', /no prompt text|missing/],
    ['only blanks', ' \n\n ', /no prompt text|missing/],
    ['front matter without an end', '---\ndescription: x\nbody', /delimiter/],
    ['front matter without a body', '---\ndescription: x\n---\n', /no prompt text|required/],
    ['a YAML alias bomb', bomb, /alias/i],
    ['YAML with a tab', '---\n\ta: : b\n- c\n---\nbody', /./],
    ['a description that is a list', '---\ndescription: [a, b]\n---\nbody', /description must be text/],
    ['invalid TOML', 'prompt = """never closed', /./],
    ['TOML with a duplicate key', 'prompt = "a"\nprompt = "b"', /./],
    ['TOML whose prompt is a number', 'prompt = 5', /prompt must be text/],
  ];
  const paths: Readonly<Record<string, string>> = {
    'claude-code': 'x.md',
    'claude-skills': 'x/SKILL.md',
    codex: 'x.md',
    'codex-skills': 'x/SKILL.md',
    qwen: 'x.md',
    opencode: 'x.md',
    cursor: 'x.md',
    'prompts-chat': 'x.csv',
    vscode: 'x.prompt.md',
    gemini: 'x.toml',
    fabric: 'x/system.md',
    dotprompt: 'x.prompt',
    commands: 'x.md',
    jsonl: 'x.jsonl',
    twig: 'x/twig.toml',
  };

  it.each(Object.entries(paths))('never makes the parser for %s throw', async (name, path) => {
    for (const [, text] of cases) {
      const { prompts, problems } = await read(name, [{ path, text }]);
      for (const problem of problems) expect(problem.message).not.toBe('');
      for (const prompt of prompts) expect(prompt.messages.length).toBeGreaterThan(0);
    }
  });

  it.each(cases.filter(([, text]) => text.startsWith('---')))(
    'is reported with a reason: %s',
    async (_, text, message) => {
      const { prompts, problems } = await read('codex', [{ path: 'x.md', text }]);
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
  ])('is rejected in dotprompt: %s', async (body) => {
    const { prompts, problems } = await read('dotprompt', [
      { path: 'x.prompt', text: `---\nname: x\n---\nline\n${body}` },
    ]);
    expect(prompts).toEqual([]);
    expect(problems.at(-1)).toMatchObject({ severity: 'error', line: expect.any(Number) });
  });

  it('is reported if plain text looks like the placeholder of an argument', async () => {
    const { prompts, problems } = await read('claude-code', [
      { path: 'x.md', text: 'a\n{{arguments}} $ARGUMENTS' },
    ]);
    expect(prompts).toEqual([]);
    expect(problems).toMatchObject([
      { line: 2, message: 'the text {{arguments}} looks like the placeholder of an argument' },
    ]);
  });

  it('may contain a byte order mark and CRLF line breaks', async () => {
    const text = '\uFEFF---\r\ndescription: d\r\n---\r\na\r\n$ARGUMENTS\r\n';
    const { prompts } = await read('claude-code', [{ path: 'x.md', text }]);
    expect(prompts).toMatchObject([{ description: 'd', line: 4 }]);
    expect(textOf(prompts[0]!)).toEqual(['user: a\r\n{{arguments}}']);
  });

  it('is parsed without excessive backtracking', async () => {
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
      // Generous: only quadratic parsing would take this long.
      expect(performance.now() - started).toBeLessThan(20_000);
    }
  });
});

describe('the formats', () => {
  it('have the name under which they are listed', () => {
    expect(formats.map(({ name }) => name)).toEqual(formatNames);
  });

  it('are suggested if a name is unknown', async () => {
    await expect(formatNamed('claudecode')).rejects.toThrowError(
      'Unknown format claudecode; did you mean claude-code?',
    );
    await expect(formatNamed('word')).rejects.toThrowError(/choose one of claude-code, claude-skills/);
  });
});

/** One user message with placeholders. */
function prompt({
  text,
  arguments: declared = [],
}: {
  text: string;
  arguments?: PromptDefinition['arguments'];
}): PromptDefinition {
  return {
    name: 'p',
    arguments: declared,
    messages: [{ role: 'user', content: { type: 'text', text } }],
    tags: [],
    template: 'braces',
    file: 'user.jsonl',
    line: 1,
  };
}

describe('an export to dotprompt', () => {
  it.each([
    'Open {{ and {{{x}}} and {{{{ and }} stay',
    'JSX: style={{ color: "red" }} and {{#each items}}',
    '  indented\n',
    '\n\nfirst and last line\n  ',
    'path C:\\{{who}} and \\\\{{who}}',
    'ends with a backslash \\',
    'CRLF\r\nline {{who}}\r\n',
    '{{! not a comment }} {{!-- nor this --}}',
    '---\ntitle: x\n---\nbody',
    'a {{ who }} b',
  ])('does not change the text %j', async (text) => {
    const definition = prompt({ arguments: [{ name: 'who', required: true }], text });
    const { files, problems } = await (await formatNamed('dotprompt')).write([definition]);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { prompts, problems: found } = await (await formatNamed('dotprompt')).read(files);
    expect(found).toEqual([]);
    expect(prompts[0]!.messages).toEqual(definition.messages);
  });

  it('refuses a text that the format would change', async () => {
    const { files, problems } = await (await formatNamed('dotprompt')).write([prompt({ text: 'a \\{{b}}' })]);
    expect(files).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      'p: its text cannot be written in this format without a change',
    ]);
  });
});

describe('front matter that a client ignores', () => {
  it.each([
    ['tabs', '---\n\ta: : b\n- c\n---\nbody $0', 'body {{argument_0}}'],
    ['an open quote', '---\ndescription: "x\n---\nbody', 'body'],
    ['a list', '---\n- a\n- b\n---\nbody', 'body'],
    ['no end', '---\ndescription: x\nbody', '---\ndescription: x\nbody'],
  ])('does not hide the command: %s', async (_, text, body) => {
    const { prompts, problems } = await read('claude-code', [{ path: 'x.md', text }]);
    expect(prompts.map(textOf)).toEqual([[`user: ${body}`]]);
    expect(problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('front matter') },
    ]);
  });

  it('keeps colons in a value and cuts at a comment', async () => {
    const text = '---\ndescription: Fix: a: b # later\n---\nbody';
    const { prompts, problems } = await read('claude-code', [{ path: 'x.md', text }]);
    expect(prompts[0]).toMatchObject({ description: 'Fix: a: b' });
    expect(problems).toEqual([]);
  });
});

describe('a prompts.chat collection', () => {
  it('has titles, names and variables with defaults', async () => {
    const { prompts, problems } = await read('prompts-chat');
    expect(problems).toEqual([]);
    expect(prompts.map(({ name, title, line }) => [name, title, line])).toEqual([
      ['linux_terminal', 'Linux Terminal', 2],
      ['travel_guide', 'Travel Guide', 4],
    ]);
    const render = async (args: Record<string, string>) =>
      (
        await renderPrompt(prompts[0]!, args, {
          name: 'x',
          list: async () => [],
          get: async () => undefined,
          problems: async () => [],
        })
      ).messages[0]!.content;
    expect(await render({})).toMatchObject({
      text: 'I want you to act as a "terminal". My first command is pwd, in $\u007bplace}\nand pwd.',
    });
    expect(await render({ command: 'ls', place: '$&' })).toMatchObject({
      text: expect.stringContaining('is ls, in $&\nand ls.'),
    });
  });

  it('is written without a change of text', async () => {
    const texts = [
      'a "quoted", text\r\nwith lines\n',
      'code $\u007bx} and $\u007by:1} and $\u007bx}',
      ' spaces ',
      'é, $\u007bLong Name:a: b}',
    ];
    const csv = `act,prompt\n${texts.map((text, index) => `"P${index}","${text.replaceAll('"', '""')}"\n`).join('')}`;
    const { files } = await (await formatNamed('prompts-chat')).write(
      (await read('prompts-chat', [{ path: 'a.csv', text: csv }])).prompts,
    );
    expect(files).toEqual([{ path: 'prompts.csv', text: csv }]);
  });
});
