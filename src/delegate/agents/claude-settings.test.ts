import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeSettings } from './claude.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-claude-'));
  mkdirSync(join(home, '.claude'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (settings: object) =>
  writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
const settingsIn = (args: readonly string[]) => JSON.parse(args[args.indexOf('--settings') + 1]!);

describe('claudeSettings', () => {
  it.each(['read-only', 'workspace-write', 'danger-full-access'] as const)(
    'loads the settings of the user but not of the project in sandbox %s',
    async (sandbox) => {
      write({ model: 'x' });
      const { args } = await claudeSettings({ HOME: home }, sandbox, false, []);
      expect(args.slice(0, 2)).toEqual(['--setting-sources', 'user']);
    },
  );

  it('drops user settings that would widen the sandbox of a writing run', async () => {
    write({
      model: 'x',
      env: { ANTHROPIC_AUTH_TOKEN: 't' },
      permissions: { allow: ['Edit(//etc/**)'], deny: ['Read(.env)'], additionalDirectories: ['/'] },
      sandbox: { excludedCommands: ['docker'], allowUnsandboxedCommands: true },
    });
    const { args, env } = await claudeSettings({ HOME: home }, 'workspace-write', false, []);
    expect(args.slice(0, 2)).toEqual(['--setting-sources', '']);
    expect(settingsIn(args)).toEqual({
      model: 'x',
      permissions: { deny: ['Read(.env)'] },
      sandbox: {
        enabled: true,
        autoAllowBashIfSandboxed: true,
        allowUnsandboxedCommands: false,
        failIfUnavailable: true,
        ...(process.getuid?.() === 0 && { enableWeakerNestedSandbox: true }),
      },
    });
    expect(env).toEqual({ ANTHROPIC_AUTH_TOKEN: 't' });
    expect(args.join()).not.toContain('ANTHROPIC_AUTH_TOKEN');
  });

  it('reads the user settings from CLAUDE_CONFIG_DIR', async () => {
    write({ permissions: { allow: ['Edit'] } });
    const env = { HOME: '/nowhere', CLAUDE_CONFIG_DIR: join(home, '.claude') };
    expect((await claudeSettings(env, 'workspace-write', false, [])).args[1]).toBe('');
  });
});
