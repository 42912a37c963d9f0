import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, readCaller, grantSandbox } from './permissions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-grant-'));
  mkdirSync(join(folder, 'shop'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nobody: Caller = { threads: [], workspaces: [] };
const free = {
  ceiling: 'danger-full-access',
  dangerFolders: [],
  writeFolders: [],
  userHome: '/home/somebody',
  startedIn: '/',
} as const;

describe('the sandbox of a run', () => {
  it('without any sandbox is refused until its folder is named', async () => {
    const shop = join(folder, 'shop');
    await expect(grantSandbox('danger-full-access', shop, nobody, free)).rejects.toThrow(
      /danger-full-access is not allowed in .*delegate\.danger_folders/,
    );
    for (const named of [shop, folder]) {
      const limits = { ...free, dangerFolders: [named] };
      expect(await grantSandbox('danger-full-access', shop, nobody, limits)).toEqual({
        sandbox: 'danger-full-access',
      });
    }
    const sibling = { ...free, dangerFolders: [`${shop}-two`, join(folder, 'sho')] };
    await expect(grantSandbox('danger-full-access', shop, nobody, sibling)).rejects.toThrow();
  });

  it('does not follow a link out of the folders that are named', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'shop', 'link'));
    const limits = { ...free, dangerFolders: [join(folder, 'shop')] };
    await expect(
      grantSandbox('danger-full-access', join(folder, 'shop', 'link'), nobody, limits),
    ).rejects.toThrow();
  });

  it('is never wider than the ceiling, and that is told', async () => {
    expect(await grantSandbox('workspace-write', folder, nobody, { ...free, ceiling: 'read-only' })).toEqual({
      sandbox: 'read-only',
      warning:
        'The run got the sandbox read-only instead of workspace-write: delegate.sandbox_ceiling allows no more.',
    });
  });

  it('is never wider than that of the calling thread', async () => {
    const caller = { ...nobody, sandbox: 'workspace-write', workspaces: [folder] } as const;
    const { sandbox, warning } = await grantSandbox('danger-full-access', folder, caller, free);
    expect(sandbox).toBe('workspace-write');
    expect(warning).toContain('the calling thread has no more');
  });

  it('is for reading only where the calling thread could not write itself', async () => {
    const caller = { ...nobody, sandbox: 'workspace-write', workspaces: [join(folder, 'shop')] } as const;
    expect((await grantSandbox('workspace-write', join(folder, 'shop'), caller, free)).sandbox).toBe(
      'workspace-write',
    );
    expect((await grantSandbox('workspace-write', folder, caller, free)).sandbox).toBe('read-only');
  });
});

describe('a calling thread that may write and names no workspaces', () => {
  const caller = { ...nobody, sandbox: 'workspace-write' } as const;

  it('has something written only below the folder that the server was started in', async () => {
    const shop = join(folder, 'shop');
    const limits = { ...free, startedIn: shop };
    mkdirSync(join(shop, 'src'));
    for (const cwd of [shop, join(shop, 'src')])
      expect((await grantSandbox('workspace-write', cwd, caller, limits)).sandbox).toBe('workspace-write');
    const { sandbox, warning } = await grantSandbox('workspace-write', folder, caller, limits);
    expect(sandbox).toBe('read-only');
    expect(warning).toContain('the calling thread has no more');
  });

  it.each(['/', '/usr'])('has nothing written by a server that was started in %s', async (cwd) => {
    const limits = { ...free, startedIn: cwd };
    expect((await grantSandbox('workspace-write', folder, caller, limits)).sandbox).toBe('read-only');
    expect((await grantSandbox('workspace-write', '/usr/bin', caller, limits)).sandbox).toBe('read-only');
  });
});

describe('a folder that no run should write to as a whole', () => {
  it.each(['/', '/etc', '/usr', '/usr/bin', '/var', '/home', '/dev'])('is refused: %s', async (cwd) => {
    await expect(grantSandbox('workspace-write', cwd, nobody, free)).rejects.toThrow(
      /workspace-write is not allowed in .*: it (is|holds) .*delegate\.write_folders/,
    );
    expect((await grantSandbox('read-only', cwd, nobody, free)).sandbox).toBe('read-only');
  });

  it('is the home folder and what holds it, also behind a link, but not a folder in it', async () => {
    const limits = { ...free, userHome: join(folder, 'shop') };
    mkdirSync(join(folder, 'shop', 'project'));
    symlinkSync(join(folder, 'shop'), join(folder, 'link'));
    for (const cwd of [folder, join(folder, 'shop'), join(folder, 'link')])
      await expect(grantSandbox('workspace-write', cwd, nobody, limits)).rejects.toThrow(/home folder/);
    const project = join(folder, 'shop', 'project');
    expect((await grantSandbox('workspace-write', project, nobody, limits)).sandbox).toBe('workspace-write');
  });

  it('is written to where the settings name it', async () => {
    const limits = { ...free, userHome: folder, writeFolders: [folder] };
    expect((await grantSandbox('workspace-write', folder, nobody, limits)).sandbox).toBe('workspace-write');
  });
});

describe('a caller', () => {
  it('is read from what codex sends along', () => {
    const facts = { thread_id: 't', session_id: 's', sandbox_mode: 'read-only', workspaces: { '/a': {} } };
    const caller = { threads: ['t', 's'], sandbox: 'read-only', workspaces: ['/a'] };
    expect(readCaller({ 'x-codex-turn-metadata': facts })).toEqual(caller);
    expect(readCaller({ 'x-codex-turn-metadata': JSON.stringify(facts) })).toEqual(caller);
  });

  it('with a sandbox nobody has heard of is trusted with the least', () => {
    expect(readCaller({ 'x-codex-turn-metadata': { sandbox_mode: 'custom' } }).sandbox).toBe('read-only');
  });

  it.each([[{}], [{ 'x-codex-turn-metadata': '{' }], [{ 'x-codex-turn-metadata': 7 }]])(
    'that tells nothing is nobody: %j',
    (meta) => expect(readCaller(meta)).toEqual(nobody),
  );
});
