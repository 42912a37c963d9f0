import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ordinaryUser, readable } from '../ordinary-user.ts';
import { bundle } from '../program.ts';
import { until } from '../tree.ts';

let home: string;
let env: Record<string, string>;
const commands = () => join(home, '.local', 'share', 'adjutant', 'commands');
const folder = () => join(home, '.claude', 'commands', 'adjutant');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-native-'));
  env = { HOME: home, PATH: process.env['PATH'] ?? '' };
  mkdirSync(commands(), { recursive: true });
  writePrompt('greet', 'Say hello to {{input}}.', 'daily');
  writePrompt('review', 'Review {{input}}.', 'work');
});
afterEach(() => {
  chmodSync(home, 0o755);
  rmSync(home, { recursive: true, force: true });
});

function writePrompt(name: string, body: string, tag: string): void {
  writeFileSync(
    join(commands(), `${name}.md`),
    `---\ndescription: About ${name}\ntags: [${tag}]\n---\n${body}\n`,
  );
}

function expose(rule: string): void {
  mkdirSync(join(home, '.config', 'adjutant'), { recursive: true });
  writeFileSync(join(home, '.config', 'adjutant', 'adjutant.toml'), `[prompts]\nexpose = ["${rule}"]\n`);
}

function adjutant(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args], {
    env,
    cwd: home,
    encoding: 'utf8',
  });
  return { code: status ?? -1, stdout, stderr };
}

/** Files in the home, except those of the prompt library. */
const files = () =>
  globSync('**/*', { cwd: home, withFileTypes: true })
    .concat(globSync('**/.*/**', { cwd: home, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .filter((path) => !path.startsWith(join('.local', 'share')))
    .sort();

const native: Readonly<Record<string, string>> = {
  claude: '.claude/commands/adjutant/greet.md',
  codex: '.codex/skills/adjutant/greet/SKILL.md',
  gemini: '.gemini/commands/adjutant/greet.toml',
  qwen: '.qwen/commands/adjutant/greet.md',
  opencode: '.config/opencode/command/adjutant/greet.md',
};

describe('adjutant install --with-prompts', () => {
  it.each(Object.entries(native))(
    'writes the chosen prompts for %s, and uninstall removes them',
    (client, path) => {
      const { code, stdout } = adjutant('install', client, '--with-prompts', '--prompt', 'greet');
      expect([code, stdout]).toEqual([0, expect.stringMatching(/Type [/$]adjutant[-:/]greet\n/)]);
      expect(readFileSync(join(home, path), 'utf8')).toMatch(
        /Say hello to (\$ARGUMENTS|\{\{args\}\}|<input>)\./,
      );
      expect(files()).toContain(path);
      expect(files().filter((one) => one.includes('review'))).toEqual([]);
      expect(adjutant('install', client, '--prompt', 'greet').stdout).toContain(
        '0 files written, 0 files removed',
      );
      adjutant('uninstall', client, '--quiet');
      expect(files()).toEqual([]);
      expect(existsSync(join(home, dirname(dirname(path))))).toBe(false);
    },
  );

  it('writes nothing without a choice', () => {
    adjutant('install', 'claude', '--quiet');
    expect(existsSync(folder())).toBe(false);
  });

  it('writes the prompts that clients list if none is named', () => {
    expose('tag:work');
    expect(adjutant('install', 'claude', '--with-prompts').stdout).toContain('Type /adjutant:review');
    expect(globSync('*.md', { cwd: folder() })).toEqual(['review.md']);
  });

  it('writes a skill with the folder of its files', () => {
    const skill = join(home, 'skills', 'pdf');
    mkdirSync(skill, { recursive: true });
    writeFileSync(
      join(skill, 'SKILL.md'),
      `---\nname: pdf\ndescription: d\n---\nRun \${CLAUDE_SKILL_DIR}/fill.py`,
    );
    const flags = ['--prompt', 'pdf', '--skills-folders', join(home, 'skills'), '--quiet'];
    expect(adjutant('install', 'claude', ...flags).code).toBe(0);
    const text = readFileSync(join(folder(), 'pdf.md'), 'utf8');
    expect(text).toContain(`Base directory for this skill: ${skill}\n\nRun ${skill}/fill.py`);
  });

  it('only shows the files in a dry run', () => {
    const { stdout } = adjutant('install', 'claude', '--tag', 'work', '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: true,
      prompts: { folder: folder(), written: ['review.md'], commands: ['/adjutant:review'], problems: [] },
    });
    expect(files()).toEqual([]);
  });

  it('writes into a project with --project', () => {
    const project = join(home, 'project');
    mkdirSync(project);
    const run = (...args: string[]) => spawnSync(process.execPath, [bundle, ...args], { env, cwd: project });
    run('install', 'claude', '--project', '--prompt', 'greet');
    expect(existsSync(join(project, '.claude/commands/adjutant/greet.md'))).toBe(true);
    run('uninstall', 'claude', '--project');
    expect(files()).toEqual([]);
  });

  it('names a similar prompt, tag or client, and changes nothing', () => {
    for (const [args, message] of [
      [['claude', '--prompt', 'gret'], 'There is no prompt gret; did you mean greet? Nothing was changed'],
      [['claude', '--tag', 'dayly'], 'There is no tag dayly; did you mean daily? Nothing was changed'],
      [['zed', '--prompt', 'greet'], 'Zed has no commands or skills that Adjutant can write'],
    ] as const) {
      const { code, stderr } = adjutant('install', ...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(files()).toEqual([]);
  });

  it('lists prompts that the client cannot express, and those that come from it', () => {
    mkdirSync(join(home, '.claude', 'commands'), { recursive: true });
    writeFileSync(join(home, '.claude', 'commands', 'mine.md'), 'My command\n');
    writeFileSync(
      join(home, 'adjutant.toml'),
      `[[prompts.mounts]]\nformat = "claude-code"\npath = "${join(home, '.claude', 'commands')}"\n`,
    );
    writeFileSync(
      join(commands(), 'logic.md'),
      '---\ndescription: x\ntemplate: jinja\narguments: [{name: a}]\n---\n{% if a %}x{% endif %}\n',
    );
    const chosen = ['greet', 'mine', 'logic'].flatMap((name) => ['--prompt', name]);
    const { stdout } = adjutant('install', 'claude', ...chosen, '--config', join(home, 'adjutant.toml'));
    expect(stdout).toContain('mine: not written: it comes from Claude Code itself');
    expect(stdout).toContain('logic: not written: it uses Jinja syntax that this format does not support');
    expect(stdout).toContain('1 file written');
  });

  it('never overwrites or removes files of others', () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), 'greet.md'), 'mine');
    symlinkSync(join(home, 'elsewhere'), join(folder(), 'review.md'));
    const { stdout } = adjutant('install', 'claude', '--prompt', 'greet', '--prompt', 'review');
    expect(stdout).toContain('greet.md: left unchanged, because it was not written by Adjutant');
    expect(stdout).toContain('review.md: left unchanged, because it was not written by Adjutant');
    adjutant('uninstall', 'claude', '--quiet');
    expect(readFileSync(join(folder(), 'greet.md'), 'utf8')).toBe('mine');
    expect(existsSync(join(home, 'elsewhere'))).toBe(false);
  });

  it('rejects a marker file that names files outside of its folder', () => {
    adjutant('install', 'claude', '--prompt', 'greet', '--quiet');
    const marker = join(folder(), '.adjutant.json');
    writeFileSync(marker, readFileSync(marker, 'utf8').replace('greet.md', '../../../precious'));
    expect(adjutant('uninstall', 'claude')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('.adjutant.json is damaged'),
    });
  });

  it('refuses the folder of an Adjutant with another home', () => {
    adjutant('install', 'claude', '--prompt', 'greet', '--quiet');
    const other = join(home, 'other');
    mkdirSync(join(other, 'commands'), { recursive: true });
    writeFileSync(join(other, 'commands', 'x.md'), '---\ndescription: x\n---\nx\n');
    expect(adjutant('install', 'claude', '--prompt', 'x', '--home', other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is written by an Adjutant with another home'),
    });
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).not.toContain('other');
    expect(existsSync(join(folder(), 'greet.md'))).toBe(true);
  });

  it('reports a read-only folder', () => {
    mkdirSync(join(home, '.claude'));
    chmodSync(join(home, '.claude'), 0o555);
    chmodSync(home, 0o777);
    // File permissions do not apply to root.
    const script = join(readable(dirname(bundle), home), basename(bundle));
    const { status, stderr } = spawnSync(
      readable(process.execPath, home),
      [script, 'install', 'claude', '--prompt', 'greet'],
      { env, cwd: home, encoding: 'utf8', ...ordinaryUser },
    );
    chmodSync(join(home, '.claude'), 0o755);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/\.claude.*greet\.md: permission denied; change the permissions/),
    ]);
  });

  it('reports a path that is blocked by a file', () => {
    writeFileSync(join(home, '.claude'), '');
    expect(adjutant('install', 'claude', '--prompt', 'greet')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\.claude.*: a part of the path is a file, not a folder/),
    });
  });

  it.runIf(existsSync('/usr/bin/script'))(
    'leaves the lines that are pasted after it on a terminal to the shell',
    () => {
      const paste = (line: string) =>
        spawnSync('/usr/bin/script', ['-qec', 'sh', '/dev/null'], {
          env: { ...env, TERM: 'dumb', PS1: '' },
          cwd: home,
          input: `${process.execPath} ${bundle} ${line}\necho pasted $((40 + 2))\nexit\n`,
          encoding: 'utf8',
        }).stdout;
      const installed = paste('install claude');
      expect(installed).toContain('pasted 42');
      expect(installed).toContain('Done. Restart Claude Code');
      expect(readFileSync(join(home, '.claude.json'), 'utf8')).toContain('adjutant');
      expect(existsSync(folder())).toBe(false);
      const unnamed = paste('install codex --with-prompts');
      expect(unnamed).toContain('pasted 42');
      expect(unnamed).toContain('$adjutant-greet');
    },
  );
});

describe('adjutant install --sync', () => {
  it('updates, adds and removes files as chosen', () => {
    adjutant('install', 'claude', '--prompt', 'greet', '--tag', 'work', '--quiet');
    writePrompt('greet', 'Say goodbye to {{input}}.', 'daily');
    rmSync(join(commands(), 'review.md'));
    writePrompt('plan', 'Plan {{input}}.', 'work');
    writePrompt('other', 'Not chosen.', 'daily');
    expect(adjutant('install', '--sync').stdout).toContain('2 files written, 1 file removed');
    expect(readFileSync(join(folder(), 'greet.md'), 'utf8')).toContain('Say goodbye to $ARGUMENTS.');
    expect(globSync('*.md', { cwd: folder() }).sort()).toEqual(['greet.md', 'plan.md']);
    expect(JSON.parse(adjutant('install', '--sync', '--json').stdout)).toMatchObject({
      clients: [{ client: 'claude', written: [], removed: [] }],
    });
  });

  it('leaves files alone that were changed by hand, and uninstall keeps them', () => {
    adjutant('install', 'claude', '--prompt', 'greet', '--quiet');
    writeFileSync(join(folder(), 'greet.md'), 'mine now');
    writePrompt('greet', 'New text.', 'daily');
    expect(adjutant('install', '--sync').stdout).toContain(
      'greet.md: left unchanged, because it was changed by hand',
    );
    expect(adjutant('uninstall', 'claude').stdout).toContain('changed by hand');
    expect(readFileSync(join(folder(), 'greet.md'), 'utf8')).toBe('mine now');
  });

  it('reports that nothing was chosen yet', () => {
    expect(adjutant('install', '--sync').stdout).toContain(
      'No prompts are written in the folders of clients.',
    );
    expect(adjutant('install', 'claud', '--sync').stderr).toContain('did you mean claude?');
  });
});

describe('a running server', () => {
  it('updates the files when prompts change', async () => {
    adjutant('install', 'claude', '--prompt', 'greet', '--prompt', 'review', '--quiet');
    writePrompt('greet', 'Changed while no server ran: {{input}}', 'daily');
    const server = spawn(process.execPath, [bundle, 'serve'], {
      env,
      cwd: home,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => {
      server.kill();
    });
    const text = () => readFileSync(join(folder(), 'greet.md'), 'utf8');
    await until(() => text().includes('Changed while no server ran'));
    writePrompt('greet', 'Changed again: {{input}}', 'daily');
    await until(() => text().includes('Changed again: $ARGUMENTS'));
    rmSync(join(commands(), 'review.md'));
    await until(() => !existsSync(join(folder(), 'review.md')));
  });

  it('keeps a command that clients list no longer, until a person is told by --sync', async () => {
    expose('tag:work');
    adjutant('install', 'claude', '--with-prompts', '--quiet');
    expose('tag:daily');
    writePrompt('review', 'Changed: {{input}}', 'work');
    const server = spawn(process.execPath, [bundle, 'serve'], { env, cwd: home });
    onTestFinished(() => {
      server.kill();
    });
    let log = '';
    server.stderr.on('data', (chunk) => (log += chunk));
    await until(() => existsSync(join(folder(), 'greet.md')));
    await until(() => readFileSync(join(folder(), 'review.md'), 'utf8').includes('Changed: $ARGUMENTS'));
    await until(() =>
      log.includes('clients no longer list /adjutant:review; adjutant install --sync removes them'),
    );
    const told = /clients no longer list \/adjutant:review.*adjutant install --sync removes them/s;
    expect(adjutant('doctor').stdout).toMatch(told);
    expect(adjutant('status', '--json').stdout).toMatch('clients no longer list /adjutant:review');
    expect(adjutant('install', '--sync').stdout).toContain('Removed review.md');
    expect(adjutant('doctor').stdout).not.toMatch('no longer list');
    expect(globSync('*.md', { cwd: folder() })).toEqual(['greet.md']);
  });
});
