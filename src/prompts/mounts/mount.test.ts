import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/tree.ts';
import { createServer } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { connectMemory } from '../../transports/memory.ts';
import { formatNames } from '../formats/formats.ts';
import { promptSettings } from '../settings.ts';
import { type MountOptions, MountSource } from './mount.ts';

let folder: string;
const opened: MountSource[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-mount-'));
});
afterEach(() => {
  for (const source of opened.splice(0)) source.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, content: string | Buffer): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function mount(options: Partial<MountOptions> = {}): MountSource {
  const source = new MountSource({ format: 'claude-code', path: join(folder, 'commands'), ...options });
  opened.push(source);
  return source;
}

const names = async (source: MountSource) => (await source.list()).map(({ name }) => name);
const messages = async (source: MountSource) => (await source.problems()).map(({ message }) => message);

describe('a mounted folder', () => {
  it('serves files in place and in their current state', async () => {
    write('commands/review.md', 'Review $ARGUMENTS');
    write('commands/git/commit.md', 'Commit');
    const source = mount();
    expect(await names(source)).toEqual(['git:commit', 'review']);
    expect(await source.get('review')).toMatchObject({
      file: join(folder, 'commands', 'review.md'),
      line: 1,
    });
    write('commands/review.md', 'Read $ARGUMENTS again');
    const [message] = (await source.get('review'))!.messages;
    expect(message).toMatchObject({ content: { text: 'Read {{arguments}} again' } });
    rmSync(join(folder, 'commands', 'review.md'));
    expect(await source.get('review')).toBeUndefined();
    expect(await names(source)).toEqual(['git:commit']);
  });

  it('returns the same list object while nothing changes', async () => {
    write('commands/a.md', 'A');
    const source = mount();
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await source.list()).toBe(await source.list());
  });

  it('adds its prefix to every name', async () => {
    write('commands/review.md', 'Review');
    const source = mount({ prefix: 'claude' });
    expect(await names(source)).toEqual(['claude:review']);
    expect(await source.get('claude:review')).toBeDefined();
    expect(await source.get('review')).toBeUndefined();
  });

  it('may be created and removed while it is mounted', async () => {
    const source = mount({ namedBy: 'prompts.mounts' });
    expect(await names(source)).toEqual([]);
    expect(await messages(source)).toEqual([
      'this folder does not exist, so it has no prompts; create it, or correct it in prompts.mounts',
    ]);
    const changed = new Promise<void>((resolve) => source.subscribe(resolve));
    await source.list();
    write('commands/late.md', 'Late');
    await changed;
    expect(await names(source)).toEqual(['late']);
    rmSync(join(folder, 'commands'), { recursive: true });
    expect(await names(source)).toEqual([]);
  });

  it('finds renamed and newly added prompts', async () => {
    write('skills/a/SKILL.md', '---\nname: old\ndescription: d\n---\nA');
    const skills = mount({ format: 'codex-skills', path: join(folder, 'skills') });
    expect(await skills.get('old')).toBeDefined();
    write('skills/a/SKILL.md', '---\nname: renamed\ndescription: d\n---\nA');
    expect(await skills.get('renamed')).toBeDefined();
    write('commands/a.md', 'A');
    const commands = mount();
    expect(await commands.get('b')).toBeUndefined();
    write('commands/b.md', 'B');
    expect(await commands.get('b')).toBeDefined();
  });

  it('may be a single file instead', async () => {
    const path = write(
      'mine.jsonl',
      `${JSON.stringify({ name: 'a', title: 'A', messages: [{ role: 'user', content: 'x' }] })}\n`,
    );
    write('other.jsonl', 'not mine');
    const source = mount({ format: 'jsonl', path });
    expect(await names(source)).toEqual(['a']);
    expect(await source.problems()).toEqual([]);
  });

  it('reports unsupported syntax with file and line', async () => {
    const file = write('commands/x.md', '---\nmodle: big\n---\nRun !`ls` on $ARGUMENTS');
    expect(await mount().problems()).toMatchObject([
      { file, line: 2, severity: 'note' },
      { file, line: 4, column: 5, severity: 'note' },
    ]);
  });
});

describe('invalid files in a mounted folder', () => {
  it('do not hide valid files', async () => {
    write('commands/good.md', 'Good');
    write('commands/binary.md', Buffer.from([0, 1, 2, 0xff, 0xfe]));
    write('commands/latin.md', Buffer.from('caf\xe9', 'latin1'));
    write('commands/yaml.md', '---\na: [\n  - b\n---\nx');
    truncateSync(write('commands/huge.md', ''), 17 * 1024 * 1024);
    mkdirSync(join(folder, 'commands', 'folder.md'));
    const source = mount();
    expect(await names(source)).toEqual(['good', 'yaml']);
    const problems = await source.problems();
    expect(problems.map(({ file, message }) => [file.slice(folder.length + 10), message])).toEqual([
      ['binary.md', 'the file is not UTF-8 text'],
      ['huge.md', 'the file is larger than 16 MB'],
      ['latin.md', 'the file is not UTF-8 text'],
      ['yaml.md', expect.stringMatching(/./)],
    ]);
  });

  it('cannot link outside the folder or form a cycle', async () => {
    write('secret.md', 'secret');
    write('outside/secret.md', 'secret');
    write('commands/good.md', 'Good');
    symlinkSync(join(folder, 'secret.md'), join(folder, 'commands', 'link.md'));
    symlinkSync(join(folder, 'outside'), join(folder, 'commands', 'away'));
    symlinkSync(join(folder, 'commands'), join(folder, 'commands', 'loop'));
    const source = mount();
    expect(await names(source)).toEqual(['good']);
    expect(await messages(source)).toHaveLength(3);
    for (const name of ['../secret', 'away:secret', '/etc/passwd'])
      expect(await source.get(name)).toBeUndefined();
  });

  it('keep their last good version', async () => {
    write('commands/a.md', 'First');
    const source = mount();
    expect(await names(source)).toEqual(['a']);
    write('commands/a.md', Buffer.from([0xff]));
    expect(await source.get('a')).toMatchObject({ messages: [{ content: { text: 'First' } }] });
    expect(await messages(source)).toEqual(['the file is not UTF-8 text']);
  });

  it('with the same prompt name are reported, and the first one is served', async () => {
    write('skills/a/SKILL.md', '---\nname: same\ndescription: d\n---\nA');
    write('skills/b/SKILL.md', '---\nname: same\ndescription: d\n---\nB');
    const source = mount({ format: 'codex-skills', path: join(folder, 'skills') });
    expect((await source.get('same'))?.file).toContain(join('a', 'SKILL.md'));
    expect(await messages(source)).toEqual([
      `this file is not served: the name same is already used by ${join(folder, 'skills', 'a', 'SKILL.md')}, which has another text`,
    ]);
  });

  it('are both served if one is a command and one a skill, and a copy is not reported', async () => {
    write('plugins/p/commands/a.md', 'Command');
    write('plugins/p/skills/a/SKILL.md', 'Skill');
    write('copy/p/commands/a.md', 'Command');
    write('copy/p/skills/a/SKILL.md', 'Skill');
    const source = mount({ format: 'claude-plugins', path: folder });
    expect((await names(source)).toSorted()).toEqual(['p:a', 'p:a-command']);
    const text = async (name: string) => (await source.get(name))?.messages.map(({ content }) => content);
    expect(await text('p:a')).toMatchObject([{ text: 'Skill' }]);
    expect(await text('p:a-command')).toMatchObject([{ text: 'Command' }]);
    expect(await messages(source)).toEqual([]);
  });

  it('are both served if one of them is an agent', async () => {
    write('plugins/p/agents/a.agent.md', 'Agent');
    write('plugins/p/skills/a/SKILL.md', 'Skill');
    const source = mount({ format: 'claude-plugins', path: join(folder, 'plugins'), prefix: 'x' });
    const text = async (name: string) => (await source.get(name))?.messages.map(({ content }) => content);
    for (const _ of ['before a list', 'after a list']) {
      expect(await text('x:p:a-agent')).toMatchObject([{ text: 'Agent' }]);
      expect(await text('x:p:a')).toMatchObject([{ text: 'Skill' }]);
      expect((await names(source)).toSorted()).toEqual(['x:p:a', 'x:p:a-agent']);
    }
    expect(await messages(source)).toEqual([]);
    write('plugins/p/agents/a-agent.md', 'Other');
    expect((await names(source)).toSorted()).toEqual(['x:p:a', 'x:p:a-agent']);
    expect(await text('x:p:a-agent')).toMatchObject([{ text: 'Other' }]);
    expect(await messages(source)).toEqual([
      expect.stringMatching(
        /^this file is not served: the name x:p:a is already used by .*a\.agent\.md, which has another text$/,
      ),
    ]);
    rmSync(join(folder, 'plugins/p/skills'), { recursive: true });
    rmSync(join(folder, 'plugins/p/agents/a-agent.md'));
    expect(await names(source)).toEqual(['x:p:a']);
    expect(await text('x:p:a-agent')).toBeUndefined();
    expect(await text('x:p:a')).toMatchObject([{ text: 'Agent' }]);
  });
});

describe('mounts in the configuration', () => {
  async function serve(toml: string) {
    const config = write('home/adjutant.toml', toml);
    const loaded = await loadConfig({
      argv: ['--home', dirname(config)],
      env: { HOME: folder },
      cwd: folder,
    });
    return createServer('standard', loaded.config);
  }

  it('accept every format except twig libraries', () => {
    const { format } = promptSettings['prompts.mounts'].schema.items.properties;
    expect([...format.enum, 'twig'].sort()).toEqual(formatNames.toSorted());
  });

  it('add prompts to the catalogue, with paths relative to the configuration file', async () => {
    write('home/claude/review.md', 'Review $ARGUMENTS now');
    write('home/gemini/git/commit.toml', 'prompt = "Commit {{args}}"');
    const server = await serve(
      '[[prompts.mounts]]\nformat = "claude-code"\npath = "claude"\n[[prompts.mounts]]\nformat = "gemini"\npath = "./gemini"\nprefix = "g"\n',
    );
    const client = connectMemory(server);
    const { prompts } = (await client.request('prompts/list')) as unknown as { prompts: { name: string }[] };
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['g:git:commit', 'review']));
    const got = await client.request('prompts/get', { name: 'review', arguments: { arguments: 'it' } });
    expect(got['messages']).toEqual([{ role: 'user', content: { type: 'text', text: 'Review it now' } }]);
    const bare = await client.request('prompts/get', { name: 'g:git:commit' });
    expect(bare['messages']).toMatchObject([{ content: { text: 'Commit ' } }]);
    await server.close();
  });

  it('that are invalid are reported with the path of the setting', async () => {
    await expect(serve('[[prompts.mounts]]\nformat = "word"\npath = "x"\n')).rejects.toThrow(
      /prompts\.mounts\.0\.format/,
    );
    await expect(serve('[[prompts.mounts]]\nformat = "codex"\n')).rejects.toThrow(/prompts\.mounts\.0/);
    await expect(serve('[[prompts.mounts]]\nformat = "codex"\npath = "x"\nprefix = "a:b"\n')).rejects.toThrow(
      /prefix/,
    );
  });
});

describe('symbolic links in a mounted folder', () => {
  const link = (target: string, path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(folder, target), join(folder, path));
  };

  it('are reported if they are not followed', async () => {
    write('dotfiles/review.md', 'Review');
    write('commands/good.md', 'Good');
    link('dotfiles', 'commands/team');
    link('dotfiles/review.md', 'commands/review.md');
    const source = mount();
    expect(await names(source)).toEqual(['good']);
    expect((await messages(source)).sort()).toEqual([
      'the symbolic link points outside the folder; follow_links = true on a mount allows that',
      'this link to a folder is not followed; follow_links = true on a mount follows it',
    ]);
  });

  it('are followed with follow_links, also to files and folders elsewhere', async () => {
    write('dotfiles/git/commit.md', 'Commit');
    write('dotfiles/review.md', 'Review');
    link('dotfiles/git', 'commands/git');
    link('dotfiles/review.md', 'commands/review.md');
    const source = mount({ follow_links: true });
    expect(await names(source)).toEqual(['git:commit', 'review']);
    expect(await source.get('git:commit')).toBeDefined();
    expect(await source.problems()).toEqual([
      {
        file: join(folder, 'commands'),
        severity: 'warning',
        rule: 'outside-link',
        message: `2 links lead out of this folder, such as ${join(folder, 'commands', 'git')}`,
      },
    ]);
  });

  it('that form a loop or lead nowhere are reported', async () => {
    write('commands/a/one.md', 'One');
    link('commands', 'commands/a/loop');
    link('gone.md', 'commands/gone.md');
    const source = mount({ follow_links: true });
    expect(await names(source)).toEqual(['a:one']);
    expect((await messages(source)).sort()).toEqual([
      'this link leads to a file that does not exist',
      'this link leads to a folder that contains it, so it is not followed',
    ]);
  });

  it('report changes of the files that they lead to', async () => {
    write('dotfiles/review.md', 'Review');
    write('shared/plan.md', 'Plan');
    link('dotfiles/review.md', 'commands/review.md');
    link('shared', 'commands/shared');
    const source = mount({ follow_links: true });
    let changes = 0;
    source.subscribe(() => changes++);
    await source.list();
    for (const [path, name] of [
      ['dotfiles/review.md', 'review'],
      ['shared/plan.md', 'shared:plan'],
    ] as const) {
      const before = changes;
      write(path, `Changed ${name}`);
      await until(() => changes > before);
      expect(await source.get(name)).toMatchObject({ messages: [{ content: { text: `Changed ${name}` } }] });
    }
  });
});

it('keeps the line breaks of a file', async () => {
  write('commands/a.md', '---\r\ndescription: A\r\n---\r\nFirst\r\nsecond $0\r\n');
  expect(await mount().get('a')).toMatchObject({
    description: 'A',
    messages: [{ content: { text: 'First\r\nsecond {{argument_0}}' } }],
  });
});
