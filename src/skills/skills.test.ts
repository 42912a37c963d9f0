import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placesIn } from '../../test/prompts/open-prompts.ts';
import { plantTree, until, write } from '../../test/tree.ts';
import { standard } from '../contracts/standard.ts';
import { Server } from '../engine/server.ts';
import { parseFrontMatter } from '../front-matter.ts';
import type { JsonObject } from '../json.ts';
import { FolderWatch } from '../prompts/files/folder-watch.ts';
import { createPrompts, type PromptsOptions } from '../prompts/prompts.ts';
import { Access } from '../toolsets/access.ts';
import { connectMemory } from '../transports/memory.ts';
import { addressOf } from './skill.ts';
import { createSkills, type SkillsOptions } from './skills.ts';

type Files = Readonly<Record<string, string | Buffer>>;

function manifest(name: string, description = `Skill ${name}`, body = 'Do it.\n'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;
}

const review: Files = {
  'skills/review/SKILL.md': manifest('review', 'Reviews a change'),
  'skills/review/references/check list.md': '- names\n',
  'skills/review/logo.png': Buffer.from([0x89, 0x50, 0xff, 0x00]),
};

/** A server with skills from `skills` and prompts from `commands`. */
function openSkills(
  files: Files = review,
  options: Partial<SkillsOptions> = {},
  more: Partial<PromptsOptions> = {},
  access?: Access,
  hello: JsonObject = { protocolVersion: '2025-11-25' },
) {
  const home = plantTree(files);
  const skillFolders = [join(home, 'skills')];
  const library = createPrompts({ ...placesIn(home), skillFolders, skillAddress: addressOf, ...more });
  const skills = createSkills({
    prompts: 'tagged',
    library: library.library,
    libraryChanges: (listener) => library.subscribe(listener),
    watch: (changed) => new FolderWatch({ changed }),
    ...options,
  });
  const server = new Server({ contract: standard, features: [library, skills] });
  onTestFinished(() => server.close());
  const notified: string[] = [];
  const client = connectMemory(server, {
    onNotification: (method) => notified.push(method),
    ...(access && { access }),
  });
  const opening = client.request('initialize', hello).then(() => client.notify('notifications/initialized'));
  const request = async (method: string, params: JsonObject = {}) => {
    await opening;
    return (await client.request(method, params)) as Record<string, JsonObject[]>;
  };
  return {
    home,
    notified,
    request,
    names: async () =>
      (await request('skills/list'))['skills']!.map(({ frontmatter }) => (frontmatter as JsonObject)['name']),
    problems: async () =>
      [...(await library.problems!()), ...(await skills.problems!())].map(({ message }) => message),
    sourcesOfProblems: async () => (await skills.problems!()).map(({ source }) => source),
    library,
    skills,
  };
}

interface SkillListing {
  readonly frontmatter: object;
  readonly resources: readonly object[];
}

function digest(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

describe('skill folders', () => {
  it('lists each skill with its front matter and the digest of every file', async () => {
    const { request } = openSkills();
    expect(await request('skills/list')).toEqual({
      skills: [
        {
          uri: 'skill://review/SKILL.md',
          frontmatter: { name: 'review', description: 'Reviews a change' },
          resources: [
            {
              uri: 'skill://review/SKILL.md',
              digest: digest(review['skills/review/SKILL.md']!),
              size: review['skills/review/SKILL.md']!.length,
            },
            { uri: 'skill://review/logo.png', digest: digest(review['skills/review/logo.png']!), size: 4 },
            {
              uri: 'skill://review/references/check%20list.md',
              digest: digest('- names\n'),
              size: 8,
            },
          ],
        },
      ],
      ttlMs: 5000,
      cacheScope: 'private',
    });
  });

  it('returns one skill, its folders and its files', async () => {
    const { request } = openSkills();
    const [skill] = (await request('skills/list'))['skills']!;
    expect(await request('skills/get', { uri: 'skill://review/SKILL.md' })).toEqual({
      skill,
      ttlMs: 5000,
      cacheScope: 'private',
    });
    const children = await request('resources/directory/read', { uri: 'skill://review' });
    expect(children['resources']).toEqual([
      { uri: 'skill://review/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: 58 },
      { uri: 'skill://review/logo.png', name: 'logo.png', mimeType: 'image/png', size: 4 },
      { uri: 'skill://review/references', name: 'references', mimeType: 'inode/directory' },
    ]);
    const inner = await request('resources/directory/read', { uri: 'skill://review/references/' });
    expect(inner['resources']!.map(({ name }) => name)).toEqual(['check list.md']);
    const read = async (uri: string) => (await request('resources/read', { uri }))['contents']![0]!;
    expect(await read('skill://review/SKILL.md')).toEqual({
      uri: 'skill://review/SKILL.md',
      mimeType: 'text/markdown',
      text: review['skills/review/SKILL.md'],
      hash: digest(review['skills/review/SKILL.md']!),
    });
    expect(await read('skill://review/references/%63heck%20list.md')).toMatchObject({ text: '- names\n' });
    expect(await read('skill://review/logo.png')).toMatchObject({ mimeType: 'image/png', blob: 'iVD/AA==' });
    expect((await request('resources/list'))['resources']).toEqual([
      {
        uri: 'skill://review/SKILL.md',
        name: 'review',
        description: 'Reviews a change',
        mimeType: 'text/markdown',
        size: 58,
      },
    ]);
  });

  it.for([
    ['skills/get', 'skill://nothing/SKILL.md'],
    ['skills/get', 'skill://review/references/check%20list.md'],
    ['skills/get', 'file:///etc/passwd'],
    ['resources/read', 'skill://review/nothing.md'],
    ['resources/read', 'skill://review/..%2F..%2Fsecret.md'],
    ['resources/read', 'skill://review/../../secret.md'],
    ['resources/read', 'skill://review/%zz'],
    ['resources/read', 'skill://'],
    ['resources/directory/read', 'skill://review/SKILL.md'],
    ['resources/directory/read', 'skill://'],
  ])('answers %s of %s with -32602 and the address', async ([method, uri]) => {
    const { request } = openSkills({ ...review, 'secret.md': 'secret' });
    await expect(request(method!, { uri: uri! })).rejects.toMatchObject({ code: -32602, data: { uri } });
  });

  it('refuses an address that is too long', async () => {
    const { request } = openSkills(review);
    for (const method of ['resources/read', 'resources/subscribe'])
      await expect(request(method, { uri: `skill://${'a'.repeat(10_000)}` })).rejects.toMatchObject({
        code: -32602,
        message: 'The address is longer than 8192 characters.',
      });
  });

  it('sends the list in pages that a change in between does not shift', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 601 }, (_, index) => {
        const name = `skill-${String(index).padStart(3, '0')}`;
        return [`skills/${name}/SKILL.md`, manifest(name)];
      }),
    );
    const { request, home } = openSkills(files);
    const first = await request('skills/list');
    expect(first['skills']).toHaveLength(500);
    rmSync(join(home, 'skills/skill-000'), { recursive: true });
    await until(
      async () => (await request('skills/list'))['skills']![0]!['uri'] !== first['skills']![0]!['uri'],
    );
    const second = await request('skills/list', { cursor: String(first['nextCursor']) });
    expect(second['skills']![0]!['uri']).toBe('skill://skill-500/SKILL.md');
    expect(second['skills']).toHaveLength(101);
    expect(second).not.toHaveProperty('nextCursor');
    for (const cursor of ['nonsense', '500'])
      await expect(request('skills/list', { cursor })).rejects.toMatchObject({ code: -32602 });
  });

  it('notifies clients after a change and serves the new content', async () => {
    const { request, names, notified, home } = openSkills();
    expect(await names()).toEqual(['review']);
    write(home, { 'skills/deploy/SKILL.md': manifest('deploy') });
    await until(() => notified.includes('notifications/resources/list_changed'));
    await until(async () => (await names()).includes('deploy'));
    notified.length = 0;
    await request('resources/subscribe', { uri: 'skill://review/references/check%20list.md' });
    write(home, { 'skills/review/references/check list.md': '- tests\n' });
    await until(() => notified.includes('notifications/resources/updated'));
    expect(notified).toContain('notifications/resources/list_changed');
    const { skill } = await request('skills/get', { uri: 'skill://review/SKILL.md' });
    expect(JSON.stringify(skill)).toContain(digest('- tests\n'));
  });

  it('serves a folder that is created later, and reports it until then', async () => {
    const { names, problems, home } = openSkills({});
    expect(await names()).toEqual([]);
    expect(await problems()).toEqual([
      'this folder does not exist, so it has no prompts; create it, or correct it in skills.folders',
    ]);
    write(home, { 'elsewhere/deploy/SKILL.md': manifest('deploy') });
    renameSync(join(home, 'elsewhere'), join(home, 'skills'));
    await until(async () => (await names()).includes('deploy'));
    expect(await problems()).toEqual([]);
  });
});

describe('skills that are not served', () => {
  const yaml = (text: string) => ({ 'skills/bad/SKILL.md': `---\n${text}\n---\n` });
  const long = 'x'.repeat(1025);
  it.for<[string, Files, string]>([
    ['bytes that are no text', { 'skills/bad/SKILL.md': Buffer.from([0xff, 0xfe]) }, 'not UTF-8 text'],
    [
      'too many files',
      {
        ...Object.fromEntries(Array.from({ length: 512 }, (_, n) => [`skills/bad/${n}.md`, ''])),
        'skills/bad/SKILL.md': manifest('bad'),
      },
      'more than 512 files',
    ],
    [
      'too many bytes',
      { 'skills/bad/SKILL.md': manifest('bad'), 'skills/bad/a.bin': Buffer.alloc(16 * 1024 * 1024) },
      'larger than 16777216 bytes',
    ],
  ])('are reported, the others served: %s', async ([, files, reason]) => {
    const { names, problems } = openSkills({ ...review, ...files });
    expect(await names()).toEqual(['review']);
    const [problem, ...others] = await problems();
    expect(problem).toContain(reason);
    expect(others).toEqual([]);
  });

  it.each<[string, Files, string, object]>([
    [
      'no front matter',
      { 'skills/bad/SKILL.md': 'Do it.' },
      'missing YAML frontmatter start',
      { description: 'Do it.' },
    ],
    ['no end of it', { 'skills/bad/SKILL.md': '---\nname: bad' }, 'never closed', {}],
    ['invalid YAML', yaml('name: [bad'), 'must be sufficiently indented', { description: 'The skill bad' }],
    ['a list', yaml('- name'), '"key: value" lines', {}],
    ['an alias bomb', yaml(aliasBomb()), 'Excessive alias count', {}],
    [
      'a number JSON lacks',
      yaml('name: bad\ndescription: d\nx: .nan'),
      '"x" has the value NaN',
      { description: 'd' },
    ],
    ['no name', yaml('description: d'), '"name" is missing', { description: 'd' }],
    ['an invalid name', yaml('name: Bad\ndescription: d'), '"name" is "Bad"', { description: 'd' }],
    ['another name', yaml('name: good\ndescription: d'), '"name" is "good"', { description: 'd' }],
    ['no description', yaml('name: bad'), '"description" is missing', { description: 'The skill bad' }],
    ['a large front matter', yaml(`name: bad\nx: ${'y'.repeat(20_000)}`), 'larger than 16 KB', {}],
  ])(
    'do not include a published skill with %s, which is corrected and reported',
    async (_, files, reason, corrected) => {
      const { request, names, problems } = openSkills(files);
      expect(await names()).toEqual(['bad']);
      expect(await problems()).toContainEqual(expect.stringContaining(reason));
      const [listed] = (await request('skills/list'))['skills'] as unknown as SkillListing[];
      expect(listed!.frontmatter).toMatchObject({ name: 'bad', ...corrected });
      // The client compares the list with the file.
      const uri = 'skill://bad/SKILL.md';
      const text = String((await request('resources/read', { uri }))['contents']![0]!['text']);
      expect((await parseFrontMatter(text)).fields).toEqual(listed!.frontmatter);
      expect(listed!.resources).toContainEqual({ uri, digest: digest(text), size: Buffer.byteLength(text) });
    },
  );

  it.each([
    [
      'a long description',
      `description: ${long}`,
      '"description" is longer than 1024',
      { description: long.slice(0, 1024) },
    ],
    [
      'a long compatibility',
      `description: d\ncompatibility: ${long}`,
      '"compatibility" is longer than 500',
      { compatibility: long.slice(0, 500) },
    ],
    [
      'numbers as metadata',
      'description: d\nmetadata:\n  version: 1',
      '"metadata" must map',
      { metadata: { version: '1' } },
    ],
  ])(
    'do not include those with %s, which is corrected and reported',
    async (_, fields, reason, corrected) => {
      const { request, names, problems } = openSkills(yaml(`name: bad\n${fields}`));
      expect(await names()).toEqual(['bad']);
      expect(await problems()).toEqual([expect.stringContaining(reason)]);
      const [listed] = (await request('skills/list'))['skills'] as unknown as { frontmatter: object }[];
      expect(listed!.frontmatter).toMatchObject(corrected);
    },
  );

  it('names the file and the line', async () => {
    const { library, home } = openSkills({ 'skills/bad/SKILL.md': '---\nname: bad\nx: "\n---\n' });
    const file = join(home, 'skills/bad/SKILL.md');
    expect(await library.problems!()).toMatchObject([{ file, line: 3, severity: 'warning' }]);
  });

  it('are those with links that lead out, pipes and reserved names', async () => {
    const { home, names, problems } = openSkills({
      ...review,
      'secret/SKILL.md': manifest('linked', 'secret'),
      'skills/file-link/SKILL.md': manifest('file-link'),
      'skills/folder-link/SKILL.md': manifest('folder-link'),
      'skills/pipe/SKILL.md': manifest('pipe'),
      'skills/prompts/SKILL.md': manifest('prompts'),
    });
    symlinkSync(join(home, 'secret/SKILL.md'), join(home, 'skills/file-link/secret.md'));
    symlinkSync(join(home, 'secret'), join(home, 'skills/folder-link/secret'));
    symlinkSync(join(home, 'secret'), join(home, 'skills/linked'));
    execFileSync('mkfifo', [join(home, 'skills/pipe/input')]);
    mkdirSync(join(home, 'skills/.git'));
    expect(await names()).toEqual(['review']);
    expect((await problems()).map((message) => message.replace(/^.*to clients: /, ''))).toEqual([
      'this link to a folder is not followed; follow_links = true on a mount follows it',
      'this link to a folder is not followed; follow_links = true on a mount follows it',
      'secret.md is a symbolic link that leads out of the skill; copy the file instead.',
      'secret is a symbolic link that leads out of the skill; copy the file instead.',
      expect.stringContaining('it is a named pipe, not a regular file.'),
      'the name "prompts" is reserved for prompts; rename the skill.',
    ]);
  });

  it('are served once the problem in a subfolder is solved', async () => {
    const { home, names } = openSkills({ ...review, 'secret.md': 'secret' });
    const link = join(home, 'skills/review/references/secret.md');
    symlinkSync(join(home, 'secret.md'), link);
    expect(await names()).toEqual([]);
    rmSync(link);
    await until(async () => (await names()).includes('review'));
  });

  it('are not read through a link that replaced a listed file', async () => {
    const { home, names, request } = openSkills({ ...review, 'secret.md': 'secret' });
    expect(await names()).toEqual(['review']);
    rmSync(join(home, 'skills/review/logo.png'));
    symlinkSync(join(home, 'secret.md'), join(home, 'skills/review/logo.png'));
    await expect(request('resources/read', { uri: 'skill://review/logo.png' })).rejects.toThrow();
  });

  it('allows links inside the skill', async () => {
    const { home, request } = openSkills();
    symlinkSync('references/check list.md', join(home, 'skills/review/latest.md'));
    const { contents } = await request('resources/read', { uri: 'skill://review/latest.md' });
    expect(contents![0]!['text']).toBe('- names\n');
  });

  it('reports the second of two skills with one name', async () => {
    const home = plantTree({
      'one/review/SKILL.md': manifest('review', 'First'),
      'two/review/SKILL.md': manifest('review', 'Second'),
    });
    const skillFolders = [join(home, 'one'), join(home, 'two')];
    const { request, problems } = openSkills({}, {}, { skillFolders });
    expect((await request('skills/list'))['skills']).toMatchObject([
      { frontmatter: { description: 'First' } },
    ]);
    expect(await problems()).toEqual([
      `the prompt review is hidden by the prompt of the same name in ${join(home, 'one/review/SKILL.md')}`,
    ]);
  });
});

describe('skills of other sources', () => {
  it('are served: of a mount, a collection of plugins, and a folder that is itself a skill', async () => {
    const home = plantTree({
      'mount/pdf/SKILL.md': manifest('pdf'),
      'plugins/review/skills/check/SKILL.md': manifest('check'),
      'plugins/review/skills/check/rules.md': '- names\n',
      'plugins/review/commands/fix.md': 'Fix it.',
      'alone/SKILL.md': manifest('alone'),
    });
    const { request, names } = openSkills(
      {},
      {},
      {
        skillFolders: [join(home, 'alone')],
        mounts: [
          { format: 'claude-skills', path: join(home, 'mount'), prefix: 'team' },
          { format: 'claude-plugins', path: join(home, 'plugins') },
        ],
      },
    );
    expect(await names()).toEqual(['alone', 'check', 'pdf']);
    const read = async (uri: string) => (await request('resources/read', { uri }))['contents']![0]!['text'];
    expect(await read('skill://review/check/rules.md')).toBe('- names\n');
    expect(await read('skill://team/pdf/SKILL.md')).toBe(manifest('pdf'));
    expect((await request('resources/list'))['resources']).toHaveLength(3);
  });

  it('are in resources/list only if clients list them, and in skills/list in any case', async () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`skills/${name}/SKILL.md`, manifest(name)]),
    );
    const { request, names } = openSkills(
      files,
      {},
      { expose: { rules: ['source:claude-skills'], limit: 2 } },
    );
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect((await request('resources/list'))['resources']).toHaveLength(2);
  });

  it('have addresses instead of a folder for clients that cannot read files of this machine', async () => {
    const files = {
      'skills/pdf/SKILL.md': manifest('pdf', 'd', `Run \${CLAUDE_SKILL_DIR}/fill in.py`),
      'skills/pdf/fill in.py': 'print()',
    };
    const rights = { scopes: ['read'], people: [], sandbox: 'read-only' } as const;
    const guest = Access.full.heldBy({ name: 'token guest', rights });
    const { request, home } = openSkills(files, {}, {}, guest);
    const expected =
      'Base directory for this skill: skill://pdf\nIts files are resources of this server: skill://pdf/fill%20in.py\n\nRun skill://pdf/fill in.py';
    const { messages } = await request('prompts/get', { name: 'pdf' });
    expect((messages![0]!['content'] as JsonObject)['text']).toBe(expected);
    const call = { name: 'expand_prompt', arguments: { command: 'pdf' } };
    expect((await request('tools/call', call))['content']![0]!['text']).toBe(expected);
    expect(expected).not.toContain(home);
  });

  it.each<[client: string, revision: string, hasFolder: boolean, links: readonly string[]]>([
    ['claude-code', '2025-11-25', true, []],
    ['claude-ai', '2025-11-25', false, ['skill://pdf/fill%20in.py', 'skill://pdf/lib/a.py']],
    ['claude-ai', '2024-11-05', false, []],
  ])('have links to their files for %s with revision %s', async (name, protocolVersion, hasFolder, links) => {
    const files = {
      'skills/pdf/SKILL.md': manifest('pdf'),
      'skills/pdf/fill in.py': 'print()',
      'skills/pdf/lib/a.py': 'print()',
    };
    const hello = { protocolVersion, capabilities: {}, clientInfo: { name, version: '1' } };
    const { request, home } = openSkills(files, {}, {}, undefined, hello);
    const call = { name: 'expand_prompt', arguments: { command: 'pdf' } };
    const contents = [
      (await request('tools/call', call))['content']!,
      (await request('prompts/get', { name: 'pdf' }))['messages']!.map(
        ({ content }) => content as JsonObject,
      ),
    ];
    for (const [text, ...others] of contents) {
      expect(String(text!['text']).includes(home)).toBe(hasFolder);
      expect(others.map(({ type, uri }) => [type, uri])).toEqual(links.map((uri) => ['resource_link', uri]));
      for (const { uri } of others)
        expect((await request('resources/read', { uri: uri! }))['contents']).toMatchObject([
          { text: 'print()' },
        ]);
    }
  });
});

describe('prompts as skills', () => {
  const tagged = '---\ndescription: "Says \\"hello\\": to all"\ntags: [skill]\n---\nGreet {{input}}.\n';
  const files = {
    'commands/greet.md': tagged,
    'commands/Team_Greet.md': tagged,
    'commands/other.md': '---\ndescription: Other\n---\nOther.\n',
  };

  it('serves tagged prompts, unfilled, with a line about the arguments', async () => {
    const { request, names } = openSkills(files);
    expect(await names()).toEqual(['greet', 'team-greet']);
    const uri = 'skill://prompts/greet/SKILL.md';
    const { skill } = (await request('skills/get', { uri })) as unknown as { skill: JsonObject };
    const { contents } = await request('resources/read', { uri });
    const text = String(contents![0]!['text']);
    expect(skill).toEqual({
      uri,
      frontmatter: { name: 'greet', description: 'Says "hello": to all' },
      resources: [{ uri, digest: digest(text), size: Buffer.byteLength(text) }],
    });
    expect(text).toMatch(/^---\nname: "greet"\ndescription: "Says \\"hello\\": to all"\n---\n/);
    expect(text).toContain('Replace {{input}} with the request of the user.');
    expect(text).toMatch(/\nGreet \{\{input\}\}\.\n+$/);
    expect((await request('resources/list'))['resources']).toEqual([]);
    expect(
      (await request('resources/directory/read', { uri: 'skill://prompts/greet' }))['resources'],
    ).toEqual([expect.objectContaining({ uri, name: 'SKILL.md' })]);
  });

  it('serves a changed prompt on the next request', async () => {
    const { names, home } = openSkills(files);
    expect(await names()).toHaveLength(2);
    write(home, { 'commands/research.md': tagged });
    expect(await names()).toHaveLength(3);
  });

  it('serves all prompts or none, as set', async () => {
    expect(await openSkills(files, { prompts: 'all' }).names()).toContain('other');
    expect(await openSkills(files, { prompts: 'none' }).names()).toEqual([]);
  });

  it('gives a skill name to the prompt that has it already, and reports names it cannot use', async () => {
    const { names, problems } = openSkills(
      {
        'commands/Greet.md': tagged,
        'commands/greet.md': tagged,
        'commands/größe.md': tagged,
        'commands/名.md': tagged,
      },
      {},
      { skillFolders: [] },
    );
    expect(await names()).toEqual(['gr-e', 'greet']);
    expect(await problems()).toEqual([
      'The prompt "Greet" is not served as a skill: the prompt "greet" has the skill name "greet" as well.',
      'The prompt "名" is not served as a skill: its name has no Latin letter and no digit.',
    ]);
  });

  it('names the source in the problems of a skill', async () => {
    const { sourcesOfProblems, home } = openSkills({
      'skills/a/SKILL.md': '---\nname: other\ndescription: d\n---\nx',
    });
    expect(await sourcesOfProblems()).toEqual([`claude-skills ${join(home, 'skills')}`]);
  });

  it('notifies clients after a prompt has changed', async () => {
    const { names, notified, home, request } = openSkills(files);
    expect(await names()).toHaveLength(2);
    write(home, { 'commands/greet.md': tagged.replace('Greet', 'Welcome') });
    await until(() => notified.includes('notifications/resources/list_changed'));
    const { contents } = await request('resources/read', { uri: 'skill://prompts/greet/SKILL.md' });
    expect(contents![0]!['text']).toContain('Welcome {{input}}.');
  });
});

function aliasBomb(): string {
  const lists = 'bcdefg'
    .split('')
    .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`);
  return ['name: bad', 'a: &a [x]', ...lists].join('\n');
}
