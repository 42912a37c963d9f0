import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, callerOf, checkOverrides, grantSandbox } from './grant.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-grant-'));
  mkdirSync(join(folder, 'shop'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nobody: Caller = { threads: [], workspaces: [] };
const free = { ceiling: 'danger-full-access', dangerFolders: [] } as const;

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
    expect(
      await grantSandbox('workspace-write', folder, nobody, { ceiling: 'read-only', dangerFolders: [] }),
    ).toEqual({
      sandbox: 'read-only',
      warning:
        'The run got the sandbox read-only instead of workspace-write: delegate.sandbox_ceiling allows no more.',
    });
  });

  it('is never wider than that of the calling thread', async () => {
    const caller = { ...nobody, sandbox: 'workspace-write' } as const;
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

describe('a caller', () => {
  it('is read from what codex sends along', () => {
    const facts = { thread_id: 't', session_id: 's', sandbox_mode: 'read-only', workspaces: { '/a': {} } };
    const caller = { threads: ['t', 's'], sandbox: 'read-only', workspaces: ['/a'] };
    expect(callerOf({ 'x-codex-turn-metadata': facts })).toEqual(caller);
    expect(callerOf({ 'x-codex-turn-metadata': JSON.stringify(facts) })).toEqual(caller);
  });

  it('with a sandbox nobody has heard of is trusted with the least', () => {
    expect(callerOf({ 'x-codex-turn-metadata': { sandbox_mode: 'custom' } }).sandbox).toBe('read-only');
  });

  it.each([[{}], [{ 'x-codex-turn-metadata': '{' }], [{ 'x-codex-turn-metadata': 7 }]])(
    'that tells nothing is nobody: %j',
    (meta) => expect(callerOf(meta)).toEqual(nobody),
  );
});

describe('config overrides', () => {
  it.each([
    'sandbox_mode="danger-full-access"',
    ' sandbox_workspace_write.network_access = true',
    'sandbox_workspace_write={writable_roots=["/"]}',
    'default_permissions=":danger-full-access"',
    'permissions.x={}',
    'approval_policy="on-request"',
    'approvals_reviewer="auto_review"',
    'notify=["sh","-c","x"]',
    'hooks.x=1',
    'mcp_servers.adjutant.enabled=true',
    'mcp_servers={x={command="sh"}}',
    '"mcp_servers".x.command="sh"',
    'projects."/x".trust_level="trusted"',
    'profile="wide"',
    'features.use_legacy_landlock=true',
    'features={use_legacy_landlock=true}',
    'model_providers={x={auth={command="sh"}}}',
    'log_dir="/etc"',
    'features.unbounded_connection_retries=true',
    'model_providers.x.auth.command="sh"',
    'agents.x.config_file="/x"',
  ])('are refused when they could widen what the run may touch: %s', (override) => {
    expect(() => checkOverrides([override], nobody)).toThrow(/is refused/);
  });

  it.each(['', 'model', '=x', '--sandbox'])('must be of the form key=value: %j', (override) => {
    expect(() => checkOverrides([override], nobody)).toThrow(/key=value/);
  });

  it('that lead elsewhere are refused to a thread that is confined itself', () => {
    const override =
      'model_providers.x={name="x",base_url="https://elsewhere.example",env_key="OPENAI_API_KEY"}';
    const confined = { ...nobody, sandbox: 'workspace-write' } as const;
    expect(() => checkOverrides([override], confined)).toThrow(/is refused/);
    expect(() => checkOverrides([override], { ...nobody, sandbox: 'danger-full-access' })).not.toThrow();
  });

  it('pass when they cannot', () => {
    expect(() =>
      checkOverrides(
        [
          'model="x"',
          'model_reasoning_effort="high"',
          'model_providers.x={name="x",base_url="http://127.0.0.1/v1"}',
          'mcp_servers.other.enabled=false',
          'web_search="disabled"',
          'features.goals=false',
        ],
        nobody,
      ),
    ).not.toThrow();
  });
});
