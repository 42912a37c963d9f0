import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createStateFolders, footprintOf } from '../../src/delegate/agents/acp-agent.ts';
import type { AgentCall } from '../../src/delegate/agents/agent.ts';
import { agentBounds } from '../../src/delegate/agents/agent-bounds.ts';
import { acpDefinitions } from '../../src/delegate/agents/agents.ts';
import { type Sandbox, sandboxes } from '../../src/delegate/agents/sandbox.ts';
import type { Bounds } from '../../src/delegate/process/bounds.ts';
import { canScopeSockets, contain } from '../../src/delegate/process/containment.ts';
import { removeFolder } from '../../src/delegate/workspace/remove-folder.ts';

// Commas, colons and blanks have a meaning for overlayfs, for mount and for the list of mounts.
const folder = mkdtempSync(join(tmpdir(), 'bounds, of: it '));
afterAll(() => removeFolder(folder));
const at = (path: string) => join(folder, path);
const folders = ['project/.git', 'home/.agent/sessions', 'storage', 'secret', 'temporary/code-cache'];
for (const path of folders) mkdirSync(at(path), { recursive: true });
writeFileSync(at('home/.agent/settings.json'), 'mine');
writeFileSync(at('secret/key'), 'KEY');
writeFileSync(at('temporary/code-cache/code'), 'mine');
writeFileSync(at('project/agent.json'), 'planted');

const bounds: Bounds = {
  isReadOnly: true,
  writable: [at('project'), at('temporary')],
  protected: [at('project/.git')],
  visible: [],
  hidden: [at('project/agent.json'), at('secret'), at('nothing')],
  temporary: [{ folder: at('home/.agent'), keeps: [at('home/.agent/sessions')] }],
  emptied: [at('temporary/code-cache')],
  storage: at('storage'),
};

async function run(
  script: string,
  limits: Bounds | 'none' = bounds,
  cwd = at('project'),
): Promise<{ code: number | null; output: string }> {
  const program = await contain({ command: 'sh', args: ['-c', script] }, cwd, {
    env: process.env,
    bounds: limits === 'none' ? undefined : limits,
  });
  const { status, stdout, stderr } = spawnSync(program.command, program.args, { cwd, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

const quoted = (path: string) => `'${at(path)}'`;

it.runIf(process.platform === 'linux')(
  'the sandbox of agents without one allows only what it should',
  async () => {
    const { output } = await run(`
    attempt() { if sh -c "$2" >/dev/null 2>&1; then echo "yes $1"; else echo "no $1"; fi; }
    attempt project "echo x > file"
    attempt git "touch .git/hook"
    attempt outside "touch ${quoted('outside')}"
    attempt system "touch /usr/planted"
    attempt kernel "echo 1 > /proc/sys/vm/drop_caches"
    attempt hidden "grep planted agent.json"
    attempt secret "cat ${quoted('secret/key')}"
    attempt settings "echo poisoned > ${quoted('home/.agent/settings.json')}"
    attempt session "echo kept > ${quoted('home/.agent/sessions/one')}"
    attempt temporary "echo x > ${quoted('temporary/file')}"
    attempt cache "echo x > ${quoted('temporary/code-cache/one')} && test ! -e ${quoted('temporary/code-cache/code')}"
    attempt remount "mount -o remount,rw,bind /"
    attempt unmount "umount ${quoted('secret')}"
    attempt namespace "unshare -Ur --mount sh -c 'mount -o remount,rw,bind / || umount /dev'"
    attempt terminal "script -qc true /dev/null"
    attempt null "echo x > /dev/null"
    ls /dev`);
    const answers = output.split('\n').filter((line) => /^(yes|no) /.test(line));
    expect(answers).toEqual([
      'yes project',
      'no git',
      'no outside',
      'no system',
      'no kernel',
      'no hidden',
      'no secret',
      // The agent can change its settings for itself, but not for its next start.
      'yes settings',
      'yes session',
      'yes temporary',
      // It has a cache of its own, so other programs do not run what it puts there.
      'yes cache',
      'no remount',
      'no unmount',
      'no namespace',
      'yes terminal',
      'yes null',
    ]);
    expect(output).not.toMatch(/^(sd|vd|nvme|loop|kmsg|mem)/m);
    expect(readFileSync(at('home/.agent/settings.json'), 'utf8')).toBe('mine');
    expect(readFileSync(at('home/.agent/sessions/one'), 'utf8')).toBe('kept\n');
    expect(readFileSync(at('project/agent.json'), 'utf8')).toBe('planted');
    expect(existsSync(at('project/file'))).toBe(true);
    expect(readdirSync(at('temporary/code-cache'))).toEqual(['code']);
  },
);

it.runIf(process.platform === 'linux')(
  'the sandbox closes sockets without a file, except those of the agent itself, where the kernel can',
  async () => {
    const name = `!adjutant-test-${crypto.randomUUID()}`;
    await using listener = createServer();
    await once(listener.listen(`\0${name}`), 'listening');
    const node = (code: string) => `${JSON.stringify(process.execPath)} -e '${code}'`;
    const start = 'const net = require("node:net"), at = (name) => String.fromCharCode(0) + name;';
    const reach = `.on("connect", () => { console.log("reached"); process.exit(); }).on("error", ({ code }) => console.log(code));`;
    const other = await run(node(`${start} net.connect(at("${name}"))${reach}`));
    // The version of Landlock.
    const canScope = spawnSync('perl', ['-e', 'exit(syscall(444, 0, 0, 1) >= 6 ? 0 : 1)']).status === 0;
    expect(await canScopeSockets(process.env)).toBe(canScope);
    expect(other.output.trim()).toBe(canScope ? 'EPERM' : 'reached');
    const own = `net.createServer().listen(at("${name}-own"), () => net.connect(at("${name}-own"))${reach.replace(/;$/, '')})`;
    expect((await run(node(`${start} ${own}`))).output.trim()).toBe('reached');
  },
);

it.runIf(process.platform === 'linux').each([true, false])(
  'a writable folder inside of a protected one can be written to (isReadOnly: %s)',
  async (isReadOnly) => {
    for (const path of ['all/runs/one', 'all/.agent']) mkdirSync(at(path), { recursive: true });
    const { output } = await run(
      `
    attempt() { if sh -c "$2" >/dev/null 2>&1; then echo "yes $1"; else echo "no $1"; fi; }
    attempt folder "touch file"
    attempt run "touch runs/one/message"
    attempt other "touch runs/file"
    attempt agent "touch .agent/file"`,
      {
        ...{ isReadOnly, storage: at('storage'), visible: [], hidden: [] },
        writable: [at('all/runs/one')],
        protected: [at('all')],
        temporary: [{ folder: at('all/.agent'), keeps: [] }],
        emptied: [],
      },
      at('all'),
    );
    expect(output.trim().split('\n')).toEqual(['no folder', 'yes run', 'no other', 'yes agent']);
    expect(existsSync(at('all/runs/one/message'))).toBe(true);
    expect(existsSync(at('all/.agent/file'))).toBe(false);
  },
);

it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'the sandbox locks other file systems, and passes over one that is unmounted meanwhile',
  async () => {
    const disks = [at('staying disk'), at('leaving disk')] as const;
    const [staying, leaving] = disks;
    for (const disk of disks) {
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
    }
    try {
      const command = { command: 'sh', args: ['-c', `touch '${staying}/file'; echo started`] };
      const program = await contain(command, at('project'), { env: process.env, bounds });
      execFileSync('umount', [leaving]);
      rmdirSync(leaving);
      const { stdout, stderr } = spawnSync(program.command, program.args, { encoding: 'utf8' });
      expect(stdout).toBe('started\n');
      expect(stderr).toContain('Read-only file system');
    } finally {
      execFileSync('umount', [staying]);
      if (existsSync(leaving)) spawnSync('umount', [leaving]);
    }
  },
);

it.runIf(process.platform === 'linux')(
  'the sandbox does not start the agent if it cannot be set up',
  async () => {
    const { code, output } = await run('echo started', { ...bounds, writable: [at('missing')] });
    expect(code).toBe(125);
    expect(output).toMatch(/the sandbox could not be set up: .*missing/);
    expect(output).not.toContain('started');
  },
);

it.runIf(process.platform === 'linux')('a part of a hidden folder stays visible', async () => {
  const settings = [
    'settings/git/config',
    'settings/git/credentials',
    'settings/gh/token',
    'settings/agent/own',
  ];
  for (const path of settings) {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), 'planted');
  }
  const shown = ['settings/git/config', 'settings/agent', 'settings/nothing'].map(at);
  const hidden = [at('settings'), at('settings/agent/own'), at('settings/gh')];
  const limits = { ...bounds, hidden, visible: shown, storage: at('storage/trees') };
  mkdirSync(limits.storage);
  const { output } = await run(
    `cd ${quoted('settings')}; find . -type f | sort; cat git/config; touch new agent/new; echo x > git/config; true`,
    limits,
  );
  // The file in the visible folder is hidden on its own, so it is empty.
  expect(output.split('\n').slice(0, 3)).toEqual(
    ['./agent/own', './git/config', 'planted'].map((one) => expect.stringContaining(one)),
  );
  for (const path of ["'new'", "'agent/new'", 'git/config'])
    expect(output).toMatch(new RegExp(`${path}.*Read-only`));
  expect(readFileSync(at('settings/git/config'), 'utf8')).toBe('planted');
  expect(readFileSync(at('settings/agent/own'), 'utf8')).toBe('planted');
  expect((await run(`cat ${quoted('settings/agent/own')}`, limits)).output).toBe('');
});

it('is refused without namespaces', async () => {
  const contained = contain({ command: 'true', args: [] }, at('project'), { containment: 'none', bounds });
  await expect(contained).rejects.toThrow('needs Linux namespaces');
});

/** What ordinary repositories contain: settings of agents, which are hidden, beside files that stay visible. */
const repositoryFiles = [
  ['.env', 'KEY=planted'],
  ['.gemini/settings.json', 'planted'],
  ['.qwen/settings.json', 'planted'],
  ['.opencode/plugin.js', 'planted'],
  ['opencode.json', 'planted'],
  ['opencode.jsonc', 'planted'],
] as const;

describe.runIf(process.platform === 'linux').each(acpDefinitions.map((one) => [one.name, one] as const))(
  'the sandbox of %s',
  (name, definition) => {
    describe.each(sandboxes)('%s', (sandbox: Sandbox) => {
      const isHidden = (path: string) =>
        definition.repositorySettings.some((hidden) => path === hidden || path.startsWith(`${hidden}/`));
      const own = repositoryFiles.filter(([path]) => isHidden(path));
      const sets = [...own.map((file) => [file]), repositoryFiles];
      it.each(sets.map((files) => [files.map(([path]) => path).join(' '), files] as const))(
        'starts in a folder with %s and hides only the settings of the agent',
        async (_, files) => {
          const base = mkdtempSync(at(`${name} `));
          const inside = (path: string) => join(base, path);
          for (const path of ['repository/shop', 'home', 'storage', 'temporary'])
            mkdirSync(inside(path), { recursive: true });
          for (const [path, text] of [...files, ['README.md', 'planted'] as const])
            for (const folderOfFile of ['repository', 'repository/shop']) {
              mkdirSync(join(inside(folderOfFile), path, '..'), { recursive: true });
              writeFileSync(join(inside(folderOfFile), path), text);
            }
          await createStateFolders(definition, inside('home'));
          const cwd = inside('repository/shop');
          const env = { TMPDIR: inside('temporary') };
          const userHome = inside('home');
          const limits = await agentBounds(
            'adjutant',
            { cwd, sandbox, outputSchemaFile: inside('storage/schema.json') } as AgentCall,
            await footprintOf(definition, cwd, { userHome, env }, false),
            {
              ...{ userHome, env, unreadable: [], ownFolders: [], runFolders: [] },
              ...{ visibleFolders: [], visibleVariables: [] },
            },
          );
          const { code, output } = await run(
            'grep -rl planted .. | sort; touch made 2>/dev/null; echo started',
            limits ?? 'none',
            cwd,
          );
          const visible = [...files.map(([path]) => path).filter((path) => !isHidden(path)), 'README.md'];
          const expected = visible.flatMap((path) => [`../${path}`, `../shop/${path}`]).sort();
          expect({ code, lines: output.trim().split('\n').sort() }).toEqual({
            code: 0,
            lines: [...expected, 'started'].sort(),
          });
          expect(existsSync(join(cwd, 'made'))).toBe(sandbox !== 'read-only');
        },
      );
    });
  },
);
