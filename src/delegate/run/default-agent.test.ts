import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultAgent } from './default-agent.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-default-agent-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const provider = 'model_provider = "mine"\n[model_providers.mine]\nbase_url = "http://127.0.0.1:1/v1"\n';
const onlyServers = '[mcp_servers.adjutant]\ncommand = "adjutant"\n';

/** The choice with these programs installed and these files in the home. */
function choose(
  programs: readonly string[],
  files: Readonly<Record<string, string>>,
  agent = 'auto',
  env: Readonly<Record<string, string>> = {},
): string {
  for (const [name, text] of [...programs.map((one) => [`bin/${one}`, '']), ...Object.entries(files)]) {
    mkdirSync(dirname(join(home, name!)), { recursive: true });
    writeFileSync(join(home, name!), text!);
  }
  return defaultAgent({
    agent,
    order: ['codex', 'claude', 'gemini', 'qwen', 'opencode'],
    commands: new Map(),
    codexHome: join(home, '.codex'),
    userHome: home,
    env: { PATH: join(home, 'bin'), ...env },
  });
}

describe('the agent of runs that name none', () => {
  const claude = { '.claude/.credentials.json': '{}' };
  it.each([
    ['the one that the settings name', ['codex'], {}, 'qwen', 'qwen'],
    [
      'the first that is signed in',
      ['codex', 'claude'],
      { '.codex/auth.json': '{}', ...claude },
      'auto',
      'codex',
    ],
    ['not codex without a login', ['codex', 'claude'], claude, 'auto', 'claude'],
    [
      'not codex that only knows this server',
      ['codex', 'claude'],
      { '.codex/config.toml': onlyServers, ...claude },
      'auto',
      'claude',
    ],
    [
      'codex with a model provider of its own',
      ['codex', 'claude'],
      { '.codex/config.toml': provider, ...claude },
      'auto',
      'codex',
    ],
    ['the only one that is installed, signed in or not', ['claude'], {}, 'auto', 'claude'],
    ['codex if nothing is installed', [], {}, 'auto', 'codex'],
  ])('is %s', (_, programs, files, agent, expected) => {
    expect(choose(programs, files as Record<string, string>, agent)).toBe(expected);
  });

  it('is not codex because of a variable that codex ignores', () => {
    expect(choose(['codex', 'claude'], claude, 'auto', { OPENAI_API_KEY: 'sk-test' })).toBe('claude');
  });
});
