import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

const fixtures = resolve('test/fixtures/formats');
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Options {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

function prompts(args: readonly string[], { input = '', env = {} }: Options = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [bundle, 'prompts', ...args, '--home', home],
    {
      env: { HOME: home, PATH: process.env['PATH'] ?? '', ...env },
      cwd: home,
      encoding: 'utf8',
      input,
    },
  );
  return { code: status, stdout, stderr };
}

function write(path: string, content: string | Buffer): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const json = (args: readonly string[]) => JSON.parse(prompts([...args, '--json']).stdout);

describe('adjutant prompts', () => {
  it('adds a folder, a repository and a Markdown file', () => {
    write('team/patterns/tidy/system.md', 'Tidy this up.');
    expect(json(['add', 'team', '--dry-run']).sources).toMatchObject([
      { format: 'fabric', prompts: ['team:tidy'] },
    ]);
    expect(prompts(['render', 'tidy', '--input', 'x']).code).toBe(1);
    expect(prompts(['add', 'team']).stdout).toContain('1 prompt (fabric patterns)');
    expect(prompts(['render', ':tidy', '--input', 'x']).stdout).toContain('Tidy this up.');
    expect(prompts(['add', 'team'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is served already'),
    });

    write('origin/commands/check.md', '---\nargument-hint: [file]\n---\nCheck $ARGUMENTS.');
    write('origin/skills/fix/SKILL.md', '---\nname: fix\ndescription: Fixes\n---\nFix it.');
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: join(home, 'origin'),
      });
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-q', '-m', 'first'],
    ])
      git(...args);
    expect(prompts(['add', `file://${join(home, 'origin')}`]).stdout).toContain('origin:check, origin:fix');
    expect(prompts(['render', ':check', '--input', 'a.ts']).stdout).toContain('Check a.ts.');

    write('hello.md', 'Greet {{who}}.');
    expect(prompts(['add', 'hello.md']).stdout).toContain(`Converted to ${join(home, 'commands/hello.md')}`);
    expect(prompts(['render', 'hello', 'who=Ann']).stdout).toBe('Greet Ann.\n');
    write('plain.md', '---\ndescription: Plain\n---\nAsk {{ input }} why.\n');
    const copied = prompts(['add', 'plain.md']);
    expect(copied.stdout).toContain(`Copied to ${join(home, 'commands/plain.md')}`);
    expect(copied.stderr).toContain('write {{input}}');
    expect(readFileSync(join(home, 'commands/plain.md'), 'utf8')).toContain('Ask {{ input }} why.');
    expect(prompts(['add', 'plain.md'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists'),
    });
    write('other.md', '---\ndescription: Fixes\nargument-hint: [issue]\n---\nFix $ARGUMENTS at $4,050.\n');
    expect(prompts(['add', 'other.md']).code).toBe(0);
    expect(prompts(['render', 'other', '--input', 'a b c d e']).stdout).toBe('Fix a b c d e at $4,050.\n');
    expect(prompts(['add', 'nowhere'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no file or folder "nowhere"'),
    });
  });

  it('creates, shows, renders, finds, edits, deletes and restores prompts', () => {
    expect(
      prompts(['create', 'letter', '--text', 'Write to {{who}}.', '--tag', 'mail', '--title', 'A letter']),
    ).toEqual({
      code: 0,
      stdout: 'Created prompt: letter\n',
      stderr: '',
    });
    expect(json(['show', 'letter'])).toMatchObject({
      title: 'A letter',
      tags: ['mail'],
      arguments: [{ name: 'who', required: true }],
    });
    expect(prompts(['render', 'letter', 'who=Ann & $& {{who}}']).stdout).toBe('Write to Ann & $& {{who}}.\n');
    expect(prompts(['render', 'letter'])).toMatchObject({
      code: 1,
      stderr: 'adjutant: Missing required argument: who\n',
    });
    expect(prompts(['search', 'letter']).stdout).toMatch(
      /^NAME +ARGUMENTS +SOURCE +DESCRIPTION\nletter +who +user +Write to \{\{who\}\}\.\n$/,
    );
    const editor = write('editor.sh', '#!/bin/sh\nsed -i "s/Write to/Dear/" "$2" && test "$1" = --wait\n');
    chmodSync(editor, 0o755);
    const edited = prompts(['edit', 'letter'], { env: { EDITOR: `${editor} --wait` } });
    expect(edited).toMatchObject({ code: 0, stdout: 'Updated prompt: letter\n' });
    expect(prompts(['render', 'letter', 'who=Ann']).stdout).toBe('Dear Ann.\n');
    expect(prompts(['delete', 'letter', 'code_review'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^adjutant: Delete 2 prompts: letter, code_review\?\n.*--yes/),
    });
    expect(prompts(['delete', 'letter']).stdout).toBe('Deleted prompt: letter\n');
    expect(prompts(['render', 'letter', 'who=Ann'])).toMatchObject({ code: 1 });
    expect(prompts(['history', 'letter']).stdout).toMatch(
      /REVISION +TIME +ACTION +CLIENT\nletter@1 .* create .*\nletter@2 .* update .*\nletter@3 .* delete .*\n$/,
    );
    expect(prompts(['restore', 'letter@1']).stdout).toBe('Restored prompt: letter to revision 1\n');
    expect(prompts(['render', 'letter', 'who=Ann']).stdout).toBe('Write to Ann.\n');
  });

  it('lists and finds the prompts with a tag', () => {
    prompts(['create', 'tagged', '--text', 'Tagged.', '--tag', 'one', '--tag', 'two']);
    for (const args of [['list'], ['search', 'tagged']]) {
      expect(prompts([...args, '--tag', 'two']).stdout).toContain('tagged');
      expect(prompts([...args, '--tag', 'three']).stdout).toMatch(/^No prompts/);
    }
  });

  it('fills arguments from free text like expand_prompt, with or without a colon before the name', () => {
    for (const name of ['code_review', ':code_review', ':code_review@latest'])
      expect(prompts(['render', name, '--input', 'foo()']).stdout).toContain('foo()');
    expect(prompts(['render', ':code_review', 'code=foo()']).stdout).toContain('foo()');
    expect(prompts(['render', ':code_reviw', '--input', 'foo()'])).toMatchObject({
      code: 1,
      stderr: 'adjutant: Prompt not found: code_reviw; did you mean code_review?\n',
    });
  });

  it('reads texts from files and standard input', () => {
    prompts(['create', 'sum'], { input: 'Sum up:\n{{text}}\n' });
    write('long.txt', 'a long text');
    expect(prompts(['render', 'sum', 'text=@long.txt']).stdout).toBe('Sum up:\na long text\n');
    expect(prompts(['render', 'sum', 'text=-'], { input: 'from a pipe' }).stdout).toBe(
      'Sum up:\nfrom a pipe\n',
    );
    write(
      'new.md',
      '---\ntitle: New\ntemplate: braces\narguments:\n  - name: x\n    default: y\n---\nA {{x}}\n',
    );
    expect(prompts(['create', 'new', '--file', 'new.md']).code).toBe(0);
    expect(prompts(['render', 'new']).stdout).toBe('A y\n');
    write('commands/ask.md', '---\ndescription: d\n---\nAsk: {{input}}');
    expect(prompts(['render', 'ask', '--input', 'why']).stdout).toBe('Ask: why\n');
    prompts(['create', 'two', '--text', 'From {{a}} to {{b}}.']);
    prompts(['create', 'none', '--text', 'Nothing to fill.']);
    expect(prompts(['render', 'two', '--input', 'here "over there"'])).toMatchObject({
      code: 0,
      stdout: 'From here to "over there".\n',
    });
    expect(prompts(['render', 'none', '--input', 'not lost']).stdout).toBe('Nothing to fill.\n\nnot lost\n');
  });

  it('edits files in place, and prompts with several messages as JSON', () => {
    write('commands/ask.md', '---\ndescription: d\n---\nAsk: {{input}}');
    const broken = prompts(['edit', 'ask'], { env: { EDITOR: 'sed -i "s/{{input}}/{{ input }}/"' } });
    expect(broken.code).toBe(1);
    expect(broken.stderr).toBe(
      `${join(home, 'commands', 'ask.md')}:4:6: error: {{ input }} is not replaced because of the spaces inside the braces; write {{input}}\n`,
    );
    prompts(['import', 'jsonl', join(fixtures, 'jsonl')]);
    expect(prompts(['edit', 'chat'], { env: { EDITOR: 'sed -i "s/Hi/Good day/"' } }).code).toBe(0);
    expect(prompts(['render', 'chat']).stdout).toBe('user:\nHello\nassistant:\nGood day\n');
    const invalid = prompts(['edit', 'chat'], { env: { EDITOR: 'sed -i "s/}//"' } });
    expect(invalid).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the text is not valid JSON'),
    });
    expect(prompts(['edit', 'chat'], { env: { EDITOR: 'true' } }).stdout).toBe('Nothing was changed.\n');
    const [, kept = ''] = /Your text is in (.*)/.exec(invalid.stderr) ?? [];
    expect(readFileSync(kept, 'utf8')).toContain('Good day');
    expect(prompts(['edit', 'chat'], { env: { EDITOR: 'false' } })).toMatchObject({ code: 2 });
    expect(prompts(['edit', 'code_review']).stderr).toContain('built in and cannot be changed');
  });

  it('does not overwrite a change that was made during the edit, and keeps the text', () => {
    prompts(['create', 'shared', '--text', 'First.']);
    const program = `"${process.execPath}" "${bundle}" prompts edit shared --home "${home}"`;
    const other = `EDITOR='sed -i s/First/Second/' ${program} >&2`;
    const editor = write('slow-editor.sh', `#!/bin/sh\n${other}\nsed -i s/First/Third/ "$1"\n`);
    chmodSync(editor, 0o755);
    const { code, stderr } = prompts(['edit', 'shared'], { env: { EDITOR: editor } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('was changed by someone else')]);
    expect(prompts(['render', 'shared']).stdout).toBe('Second.\n');
    expect(readFileSync(/Your text is in (.*)/.exec(stderr)![1]!, 'utf8')).toContain('Third.');
  });

  it.each<[readonly string[], RegExp]>([
    [['lst'], /Did you mean: adjutant prompts list/],
    [['show'], /prompts show needs NAME/],
    [['show', 'a', 'b'], /prompts show does not take "b"/],
    [['render'], /prompts render needs NAME/],
    [['render', 'code_review', 'nonsense'], /"nonsense" is not of the form key=value/],
    [['render', 'code_review', 'code=@nope'], /nope cannot be read/],
    [['create', '../evil', '--text', 'x'], /is not a valid name/],
    [['create', 'x'], /the text is empty/],
    [['create', 'x', '--text', 'a', '--file', 'b'], /not both/],
    [['restore', 'x'], /NAME@N/],
    [['search'], /prompts search needs WORD/],
    [['import', 'claude-code'], /import FORMAT PATH/],
    [['import', 'claudecode', '.'], /did you mean claude-code\?/],
    [['import', 'codex', 'nowhere'], /nowhere does not exist/],
    [['export', 'codex'], /export FORMAT FOLDER/],
    [['lint', 'nowhere'], /nowhere does not exist/],
    [['lint', '--format', 'sarif'], /--format only for files.*--sarif/],
    [['pull'], /No repository is configured/],
    [['list', '--nope'], /unknown flag --nope/],
  ])('reports incorrect usage: %j', (args, message) => {
    const { code, stderr, stdout } = prompts(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

describe('adjutant prompts lint', () => {
  it('checks the library and fails if there are errors', () => {
    expect(prompts(['lint'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '7 prompts, 0 errors, 0 warnings\n',
    });
    write(
      'libraries/lib/twig.toml',
      '[prompts.p]\ndescription = "d"\n[[prompts.p.arguments]]\nname = "code"\n',
    );
    const file = write('libraries/lib/prompts/p.md', 'a\n  {{ cod|uper }}\n');
    const { code, stdout, stderr } = prompts(['lint']);
    expect(code).toBe(1);
    expect(stdout).toBe(
      `${file}:1: warning: the argument code is never used\n${file}:2:6: error: undefined variable: cod; did you mean code?\n${file}:2:10: error: unknown filter: uper\n`,
    );
    expect(stderr).toBe('8 prompts, 2 errors, 1 warning\n');
    expect(json(['lint'])).toMatchObject({
      prompts: 8,
      errors: 2,
      warnings: 1,
      problems: [{ line: 1 }, { line: 2, column: 6 }, {}],
    });
  });

  it('checks files outside the library, so that a build can fail on them', () => {
    expect(prompts(['lint', fixtures]).code).toBe(0);
    write('x/.claude/commands/bad.md', '---\nopen');
    expect(prompts(['lint', 'x/.claude/commands'])).toMatchObject({
      code: 0,
      stdout:
        'x/.claude/commands/bad.md:2: warning: the front matter is never closed, so the whole file is the text\n',
    });
    expect(prompts(['lint', 'x/.claude/commands', '--strict']).code).toBe(1);
    expect(prompts(['lint', 'x/.claude/commands/bad.md', '--format', 'codex']).code).toBe(1);
  });

  it('counts notes, and shows them only with --notes', () => {
    write('x/a.md', 'Run !`ls` on $ARGUMENTS');
    const lint = ['lint', 'x', '--format', 'claude-code'];
    const counts = '1 prompt, 0 errors, 0 warnings, 1 note';
    expect(prompts(lint)).toMatchObject({ code: 0, stdout: '', stderr: `${counts} (shown with --notes)\n` });
    const { stdout, stderr } = prompts([...lint, '--notes']);
    expect(stdout).toMatch(/^x\/a\.md:1:5: note: !`ls` runs a command in Claude Code/);
    expect(stderr).toBe(`${counts}\n`);
    expect(json(lint)).toMatchObject({ notes: 1, problems: [{ severity: 'note' }] });
  });

  it('prints a SARIF report', () => {
    write('commands/a.md', '---\ndescription: d\n---\nAsk {{topic}}');
    const { code, stdout } = prompts(['lint', 'commands', '--sarif']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'adjutant', rules: [{ id: 'plain-placeholder' }] } },
          results: [
            {
              ruleId: 'plain-placeholder',
              level: 'warning',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'commands/a.md' },
                    region: { startLine: 4, startColumn: 5 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
    write('adjutant.toml', '[prompts]\nlint_ignore = ["plain-placeholder"]\n');
    expect(prompts(['lint', '--strict'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('reports binary files and links out of the folder', () => {
    write('bad/binary.md', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0x00, 0xfe]));
    write('bad/good.md', '---\ndescription: d\n---\nok {{input}}');
    write('secret.md', '---\ndescription: d\n---\nsecret');
    symlinkSync(join(home, 'secret.md'), join(home, 'bad', 'link.md'));
    const { code, stdout, stderr } = prompts(['lint', 'bad']);
    expect(code).toBe(1);
    expect(stdout).toBe(
      'bad/binary.md:1: error: the file is not UTF-8 text\nbad/link.md: error: the symbolic link points outside the folder\n',
    );
    expect(stderr).toBe('1 prompt, 2 errors, 0 warnings\n');
  });

  it('prints no colours if the output is not a terminal', () => {
    write('commands/a.md', '---\ndescription: d\n---\n{{ input }}');
    expect(prompts(['lint']).stdout).not.toContain('\u001b');
  });
});

describe('adjutant prompts import and export', () => {
  it('import prompts and export them again', () => {
    const imported = prompts(['import', 'claude-code', join(fixtures, 'claude-code'), '--prefix', 'cc']);
    expect(imported.code).toBe(0);
    expect(imported.stdout.split('\n').map((line) => line.split(' from ')[0])).toEqual([
      'create cc_fix-issue',
      'create cc_git_commit',
      'create cc_review',
      '',
    ]);
    expect(imported.stderr).toContain(
      ':12:19: note: !`git branch --show-current` runs a command in Claude Code; here it stays plain text',
    );
    expect(prompts(['render', 'cc_review', 'arguments=it']).stdout).toContain('Look at: it\n');
    const again = prompts(['import', 'claude-code', join(fixtures, 'claude-code'), '--prefix', 'cc']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('error: review: prompt already exists: cc_review');
    expect(
      prompts(['import', 'claude-code', join(fixtures, 'claude-code'), '--prefix', 'cc', '--replace']),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('update cc_review'),
    });
    const out = prompts(['export', 'gemini', 'out', 'cc_review', 'cc_git_commit']);
    expect(out.stdout).toBe(
      `written ${join('out', 'cc_review.toml')}\nwritten ${join('out', 'cc_git_commit.toml')}\n`,
    );
    expect(readFileSync(join(home, 'out', 'cc_review.toml'), 'utf8')).toContain('Look at: {{args}}');
  });

  it('never overwrite a different file without --force', () => {
    write('out/code_review.md', 'mine');
    const first = prompts(['export', 'commands', 'out', 'code_review', 'fix_bugs']);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain(
      `${join('out', 'code_review.md')}: error: the file exists with other content; --force overwrites it`,
    );
    expect(readFileSync(join(home, 'out', 'code_review.md'), 'utf8')).toBe('mine');
    const forced = prompts(['export', 'commands', 'out', 'code_review', 'fix_bugs', '--force']);
    expect(forced).toMatchObject({
      code: 0,
      stdout: `written ${join('out', 'code_review.md')}\nunchanged ${join('out', 'fix_bugs.md')}\n`,
    });
  });

  it('write nothing in a dry run', () => {
    expect(prompts(['import', 'codex', join(fixtures, 'codex'), '--dry-run']).stdout).toContain(
      'would create triage',
    );
    expect(json(['list']).prompts).toHaveLength(7);
    expect(prompts(['export', 'codex', 'out', '--dry-run']).stdout).toContain('would be written');
    expect(prompts(['lint', 'out']).stderr).toContain('out does not exist');
  });

  it('export a prompt to every format and import it again', () => {
    prompts(['create', 'note', '--text', 'Note this: {{text}}', '--description', 'Takes a note']);
    for (const format of [
      'claude-code',
      'claude-skills',
      'codex',
      'vscode',
      'gemini',
      'fabric',
      'dotprompt',
      'commands',
      'jsonl',
      'twig',
    ]) {
      expect(prompts(['export', format, `out/${format}`, 'note']).code).toBe(0);
      const back = prompts(['import', format, `out/${format}`, '--prefix', format.replaceAll('-', '_')]);
      expect(back).toMatchObject({ code: 0, stdout: expect.stringMatching(/^create \w+note from /) });
      const name = `${format.replaceAll('-', '_')}_note`;
      const [argument] = json(['show', name]).arguments;
      expect(prompts(['render', name, `${argument.name}=milk`]).stdout).toBe('Note this: milk\n');
    }
  }, 90_000);
});

describe('versions on the command line', () => {
  const tested = (body: string) =>
    `---\ndescription: d\ntests:\n  - {name: "a < b", arguments: {input: x}, contains: first}\n---\n${body}`;

  it('labels, tests and counts prompts', () => {
    write('commands/plan.md', tested('Plan {{input}} first'));
    expect(prompts(['label', 'plan', 'production']).stdout).toMatch(
      /^plan@production is revision \w+ now\n$/,
    );
    expect(prompts(['test'])).toMatchObject({
      code: 0,
      stdout: 'passed plan: a < b\n',
      stderr: '1 passed, 0 failed, 0 skipped\n',
    });
    write('commands/plan.md', tested('Plan {{input}} last'));
    expect(prompts(['render', 'plan@production', 'input=x']).stdout).toBe('Plan x first\n');
    expect(prompts(['test', '--changed']).code).toBe(1);
    const junit = prompts(['test', '--junit']);
    expect(junit.stdout).toContain(
      '<testcase classname="plan" name="a &lt; b"><failure message="the text does not contain &quot;first&quot;">',
    );
    expect(prompts(['history', 'plan', '--compare', 'production']).stdout).toContain(
      '-Plan {{input}} first\n',
    );
    expect(prompts(['history', 'plan']).stdout).toMatch(/plan@production +\S+ +label of/);
    expect(prompts(['usage']).stdout).toMatch(/plan +1 +\d{4}-\d\d-\d\d +adjutant 1/);
    expect(prompts(['label', 'plan', 'production', '--remove']).stdout).toBe(
      'Removed production from plan\n',
    );
  });

  it('counts a test with a mistake as failed, and renders its prompt', () => {
    write('commands/plan.md', '---\ndescription: D\ntests:\n  - {contain: x}\n---\nPlan {{input}}\n');
    expect(prompts(['render', 'plan', '--input', 'x']).stdout).toBe('Plan x\n');
    const { code, stdout, stderr } = prompts(['test']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '0 passed, 1 failed, 0 skipped\n' });
    expect(stdout).toContain('plan: test 1');
    expect(stdout).toContain('unknown field contain');
    expect(prompts(['lint'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('unknown field contain'),
    });
  });

  it('moves a protected label only with --force', () => {
    write('adjutant.toml', '[prompts]\nprotected_labels = ["production"]\n');
    write('commands/plan.md', tested('Plan {{input}} first'));
    expect(prompts(['label', 'plan', 'production']).stderr).toContain('--force');
    expect(prompts(['label', 'plan', 'production', '--force']).code).toBe(0);
  });
});
