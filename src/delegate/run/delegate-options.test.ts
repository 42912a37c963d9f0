import { expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { delegateOptions } from './delegate-options.ts';

async function loadOptions(env: Readonly<Record<string, string>>, argv: readonly string[] = []) {
  const { config } = await loadConfig({ argv, env: { HOME: '/home/me', ...env }, cwd: '/' });
  return delegateOptions(config, env, false);
}

it('stores runs in its own folder by default, in home, or in delegate.runs_dir', async () => {
  expect((await loadOptions({})).runsDir).toBe('/home/me/.local/state/adjutant/runs');
  expect((await loadOptions({ CODEX_HOME: '/codex' }, ['--home', '/all'])).runsDir).toBe('/all/runs');
  expect((await loadOptions({}, ['--delegate-runs-dir', '/runs'])).runsDir).toBe('/runs');
});

it('also shows the runs of the program that it can replace, and stores them there under its contract', async () => {
  expect((await loadOptions({ CODEX_HOME: '/codex' })).otherRunsDir).toBe('/codex/delegator/runs');
  expect((await loadOptions({}, ['--home', '/all'])).otherRunsDir).toBeUndefined();
  expect((await loadOptions({}, ['--originals-read', 'twig'])).otherRunsDir).toBeUndefined();
  const { config } = await loadConfig({ argv: [], env: { HOME: '/home/me' }, cwd: '/' });
  expect(delegateOptions(config, {}, true)).toMatchObject({ runsDir: '/home/me/.codex/delegator/runs' });
  expect(delegateOptions(config, {}, true).otherRunsDir).toBeUndefined();
});

it('reads the agent command from ADJUTANT_CODEX or ADJUTANT_DELEGATE_COMMAND', async () => {
  expect((await loadOptions({})).command).toBeUndefined();
  expect((await loadOptions({ ADJUTANT_CODEX: '/a/codex' })).command).toBe('/a/codex');
  expect((await loadOptions({ ADJUTANT_DELEGATE_COMMAND: '/b/codex' })).command).toBe('/b/codex');
});

it('waits for the end of a run under the drop-in contract', async () => {
  const { config } = await loadConfig({ argv: [], env: { HOME: '/home/me' }, cwd: '/' });
  expect(delegateOptions(config, {}, true).answerWithinMs).toBe(0);
  expect(delegateOptions(config, {}, false).answerWithinMs).toBeGreaterThan(0);
});
