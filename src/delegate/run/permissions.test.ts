import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { owner } from '../../context.ts';
import { type Caller, grantSandbox, overrideRights, readCaller } from './permissions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-permissions-'));
  mkdirSync(join(folder, 'shop'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const unknownCaller: Caller = { threads: [], workspaces: [] };
const unlimited = {
  document: false,
  ceiling: 'danger-full-access',
  dangerFolders: [],
  writeFolders: [],
  userHome: '/home/somebody',
  startedIn: '/',
} as const;

describe('grantSandbox', () => {
  it('refuses a folder with a path that no system opens, before anything looks at the folders above it', async () => {
    const endless = '/a'.repeat(500_000);
    await expect(grantSandbox('read-only', endless, unknownCaller, unlimited)).rejects.toThrow(
      'a path of more than 4096 characters',
    );
  });

  it('refuses danger-full-access outside the configured folders', async () => {
    const shop = join(folder, 'shop');
    await expect(grantSandbox('danger-full-access', shop, unknownCaller, unlimited)).rejects.toThrow(
      /danger-full-access is not allowed in .*delegate\.danger_folders/,
    );
    for (const named of [shop, folder]) {
      const limits = { ...unlimited, dangerFolders: [named] };
      expect(await grantSandbox('danger-full-access', shop, unknownCaller, limits)).toEqual({
        sandbox: 'danger-full-access',
      });
    }
    const sibling = { ...unlimited, dangerFolders: [`${shop}-two`, join(folder, 'sho')] };
    await expect(grantSandbox('danger-full-access', shop, unknownCaller, sibling)).rejects.toThrow();
  });

  it('refuses danger-full-access in a linked folder outside the configured folders', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'shop', 'link'));
    const limits = { ...unlimited, dangerFolders: [join(folder, 'shop')] };
    await expect(
      grantSandbox('danger-full-access', join(folder, 'shop', 'link'), unknownCaller, limits),
    ).rejects.toThrow();
  });

  it('narrows the sandbox to the configured ceiling and warns about it', async () => {
    expect(
      await grantSandbox('workspace-write', folder, unknownCaller, { ...unlimited, ceiling: 'read-only' }),
    ).toEqual({
      sandbox: 'read-only',
      warning:
        'The run got the sandbox read-only instead of workspace-write: delegate.sandbox_ceiling allows no more.',
    });
  });

  it('narrows the sandbox to that of the calling thread and warns about it', async () => {
    const caller = { ...unknownCaller, sandbox: 'workspace-write', workspaces: [folder] } as const;
    const { sandbox, warning } = await grantSandbox('danger-full-access', folder, caller, unlimited);
    expect(sandbox).toBe('workspace-write');
    expect(warning).toContain('the calling thread has no more');
  });

  it('grants only read-only outside the workspaces of the calling thread', async () => {
    const caller = {
      ...unknownCaller,
      sandbox: 'workspace-write',
      workspaces: [join(folder, 'shop')],
    } as const;
    expect((await grantSandbox('workspace-write', join(folder, 'shop'), caller, unlimited)).sandbox).toBe(
      'workspace-write',
    );
    expect((await grantSandbox('workspace-write', folder, caller, unlimited)).sandbox).toBe('read-only');
  });
});

describe('grantSandbox for a calling thread that may write but sends no workspaces', () => {
  const caller = { ...unknownCaller, sandbox: 'workspace-write' } as const;

  it('allows writing only below the folder the server was started in', async () => {
    const shop = join(folder, 'shop');
    const limits = { ...unlimited, startedIn: shop };
    mkdirSync(join(shop, 'src'));
    for (const cwd of [shop, join(shop, 'src')])
      expect((await grantSandbox('workspace-write', cwd, caller, limits)).sandbox).toBe('workspace-write');
    const { sandbox, warning } = await grantSandbox('workspace-write', folder, caller, limits);
    expect(sandbox).toBe('read-only');
    expect(warning).toContain('the calling thread has no more');
  });

  it.each(['/', '/usr'])('allows no writing if the server was started in %s', async (cwd) => {
    const limits = { ...unlimited, startedIn: cwd };
    expect((await grantSandbox('workspace-write', folder, caller, limits)).sandbox).toBe('read-only');
    expect((await grantSandbox('workspace-write', '/usr/bin', caller, limits)).sandbox).toBe('read-only');
  });
});

describe('grantSandbox in a protected folder', () => {
  it.each(['/', '/etc', '/usr', '/usr/bin', '/var', '/home', '/dev'])(
    'refuses workspace-write in %s',
    async (cwd) => {
      await expect(grantSandbox('workspace-write', cwd, unknownCaller, unlimited)).rejects.toThrow(
        /workspace-write is not allowed in .*: it (is|contains) .*delegate\.write_folders/,
      );
      expect((await grantSandbox('read-only', cwd, unknownCaller, unlimited)).sandbox).toBe('read-only');
    },
  );

  it('protects the home folder, its parents and links to it, but not the folders inside it', async () => {
    const limits = { ...unlimited, userHome: join(folder, 'shop') };
    mkdirSync(join(folder, 'shop', 'project'));
    symlinkSync(join(folder, 'shop'), join(folder, 'link'));
    for (const cwd of [folder, join(folder, 'shop'), join(folder, 'link')])
      await expect(grantSandbox('workspace-write', cwd, unknownCaller, limits)).rejects.toThrow(
        /home folder/,
      );
    const project = join(folder, 'shop', 'project');
    expect((await grantSandbox('workspace-write', project, unknownCaller, limits)).sandbox).toBe(
      'workspace-write',
    );
  });

  it('allows workspace-write if the settings name the folder', async () => {
    const limits = { ...unlimited, userHome: folder, writeFolders: [folder] };
    expect((await grantSandbox('workspace-write', folder, unknownCaller, limits)).sandbox).toBe(
      'workspace-write',
    );
  });
});

describe('readCaller', () => {
  it('reads the metadata that Codex sends', () => {
    const metadata = { thread_id: 't', session_id: 's', sandbox_mode: 'read-only', workspaces: { '/a': {} } };
    const caller = { threads: ['t', 's'], sandbox: 'read-only', workspaces: ['/a'] };
    expect(readCaller({ actor: owner, meta: { 'x-codex-turn-metadata': metadata } })).toEqual(caller);
    expect(readCaller({ actor: owner, meta: { 'x-codex-turn-metadata': JSON.stringify(metadata) } })).toEqual(
      caller,
    );
  });

  it('treats an unknown sandbox as read-only', () => {
    expect(
      readCaller({ actor: owner, meta: { 'x-codex-turn-metadata': { sandbox_mode: 'custom' } } }).sandbox,
    ).toBe('read-only');
  });

  it.each([[{}], [{ 'x-codex-turn-metadata': '{' }], [{ 'x-codex-turn-metadata': 7 }]])(
    'returns an empty caller for missing or invalid metadata: %j',
    (meta) => expect(readCaller({ actor: owner, meta })).toEqual(unknownCaller),
  );
});

describe('grantSandbox for a client that names its roots', () => {
  it('allows writing only below them, and reading everywhere', async () => {
    const caller = { ...unknownCaller, roots: [join(folder, 'shop')] };
    expect((await grantSandbox('workspace-write', join(folder, 'shop'), caller, unlimited)).sandbox).toBe(
      'workspace-write',
    );
    const limits = { ...unlimited, dangerFolders: [folder] };
    for (const requested of ['workspace-write', 'danger-full-access'] as const) {
      const { sandbox, warning } = await grantSandbox(requested, folder, caller, limits);
      expect(sandbox).toBe('read-only');
      expect(warning).toContain('outside the folders that the client has open');
    }
    expect(await grantSandbox('read-only', folder, caller, unlimited)).toEqual({ sandbox: 'read-only' });
  });
});

describe('the drop-in contract', () => {
  const document = { ...unlimited, document: true } as const;

  it('grants danger-full-access up to the ceiling, without a list of folders', async () => {
    expect(await grantSandbox('danger-full-access', folder, unknownCaller, document)).toEqual({
      sandbox: 'danger-full-access',
    });
    const { sandbox, warning } = await grantSandbox('danger-full-access', folder, unknownCaller, {
      ...document,
      ceiling: 'workspace-write',
    });
    expect(sandbox).toBe('workspace-write');
    expect(warning).toContain('delegate.sandbox_ceiling');
  });

  it('refuses to write in a protected folder', async () => {
    await expect(grantSandbox('workspace-write', '/usr', unknownCaller, document)).rejects.toThrow(
      /system folder/,
    );
  });

  it('forwards every override, unless the caller or the ceiling allows less', async () => {
    const rights = (more: object, caller: Caller = unknownCaller) =>
      overrideRights(folder, caller, { ...document, ...more });
    expect(await rights({})).toEqual({ addresses: true, programs: true, drop: true });
    const nothing = { addresses: false, programs: false, drop: true };
    expect(await rights({ ceiling: 'workspace-write' })).toEqual(nothing);
    expect(await rights({}, { ...unknownCaller, sandbox: 'read-only' })).toEqual(nothing);
  });
});

describe('overrideRights', () => {
  const fullAccess = { ...unknownCaller, sandbox: 'danger-full-access' } as const;

  it('needs a caller with full access, and a folder for runs without a sandbox to name programs', async () => {
    expect(await overrideRights(folder, unknownCaller, unlimited)).toMatchObject({
      addresses: false,
      programs: false,
    });
    expect(await overrideRights(folder, fullAccess, unlimited)).toMatchObject({
      addresses: true,
      programs: false,
    });
    expect(await overrideRights(folder, fullAccess, { ...unlimited, dangerFolders: [folder] })).toMatchObject(
      { addresses: true, programs: true, drop: false },
    );
    expect(
      await overrideRights(folder, fullAccess, { ...unlimited, ceiling: 'workspace-write' }),
    ).toMatchObject({ addresses: false, programs: false });
  });
});

describe('a token', () => {
  it('limits the sandbox and the overrides, whatever the client claims', async () => {
    const actor = { name: 'token a', rights: { scopes: [], people: [], sandbox: 'read-only' } } as const;
    const meta = { 'x-codex-turn-metadata': { sandbox_mode: 'danger-full-access' } };
    for (const [sent, document] of [
      [{}, false],
      [meta, false],
      [{}, true],
    ] as const) {
      const caller = readCaller({ actor, meta: sent });
      const limits = { ...unlimited, document, dangerFolders: [folder] };
      const granted = await grantSandbox('danger-full-access', folder, caller, limits);
      expect(granted).toEqual({ sandbox: 'read-only', warning: expect.stringContaining('token') });
      expect(await overrideRights(folder, caller, limits)).toMatchObject({
        addresses: false,
        programs: false,
      });
    }
  });
});
