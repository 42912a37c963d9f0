import { expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { delegateOptions } from './delegate-options.ts';

async function optionsOf(env: Readonly<Record<string, string>>, argv: readonly string[] = []) {
  const { config } = await loadConfig({ argv, env: { HOME: '/home/me', ...env }, cwd: '/' });
  return delegateOptions(config, env, false);
}

it('keeps runs in the folder of codex, in the home where one is set, or where it is told', async () => {
  expect((await optionsOf({})).runsDir).toBe('/home/me/.codex/delegator/runs');
  expect((await optionsOf({ CODEX_HOME: '/codex' })).runsDir).toBe('/codex/delegator/runs');
  expect((await optionsOf({ CODEX_HOME: '/codex' }, ['--home', '/all'])).runsDir).toBe('/all/runs');
  expect((await optionsOf({}, ['--delegate-runs-dir', '/runs'])).runsDir).toBe('/runs');
});

it('knows the agent by either of its variables', async () => {
  expect((await optionsOf({})).command).toBeUndefined();
  expect((await optionsOf({ ADJUTANT_CODEX: '/a/codex' })).command).toBe('/a/codex');
  expect((await optionsOf({ ADJUTANT_DELEGATE_COMMAND: '/b/codex' })).command).toBe('/b/codex');
});

it('waits for the end of a run where the document says so', async () => {
  const { config } = await loadConfig({ argv: [], env: { HOME: '/home/me' }, cwd: '/' });
  expect(delegateOptions(config, {}, true).answerWithinMs).toBe(0);
  expect(delegateOptions(config, {}, false).answerWithinMs).toBeGreaterThan(0);
});
