import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { agentEnvironment } from './environment.ts';

const git = (env: Readonly<Record<string, string | undefined>>, name: string) =>
  execFileSync('git', ['config', name], { env, encoding: 'utf8', cwd: '/' }).trim();

it("keeps the git settings in the agent's environment without variables named KEY, which agents hide", () => {
  const env = agentEnvironment(
    {
      PATH: process.env['PATH'],
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: "Pat O'Neill",
      GIT_CONFIG_KEY_1: 'core.fsmonitor',
      GIT_CONFIG_VALUE_1: 'true',
      GIT_DIR: '/somewhere/.git',
    },
    { CODEX_HOME: '/codex' },
    'run-1',
  );
  expect(Object.entries(env).filter(([name, value]) => value !== undefined && name.includes('KEY'))).toEqual(
    [],
  );
  expect(git(env, 'user.name')).toBe("Pat O'Neill");
  expect(git(env, 'core.fsmonitor')).toBe('false');
  expect(env).toMatchObject({ CODEX_HOME: '/codex', DELEGATE_RUN: 'run-1' });
  expect(env).not.toHaveProperty('GIT_DIR');
});

it('leaves out the variables that the agent must not get', () => {
  const env = agentEnvironment({ DATABASE_PASSWORD: 'x', OPENAI_API_KEY: 'y' }, {}, 'run', [
    'DATABASE_PASSWORD',
  ]);
  expect(env).not.toHaveProperty('DATABASE_PASSWORD');
  expect(env).toMatchObject({ OPENAI_API_KEY: 'y' });
});
