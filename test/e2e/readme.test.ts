import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { testPage } from '../docs-runner.ts';
import { networkSettings, npmSetting } from '../npm.ts';

vi.setConfig({ testTimeout: 240_000 });

// Follows the README in a fresh clone. Only the command that the README installs is on the PATH.
testPage('README.md', (home) => {
  execFileSync('git', ['clone', '--quiet', '.', join(home, 'clone')]);
  const prefix = join(home, 'global');
  return {
    cwd: 'clone',
    env: {
      ADJUTANT_HOME: '',
      PATH: [join(prefix, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      npm_config_prefix: prefix,
      // Use the npm registry and cache that this machine is configured for.
      npm_config_userconfig: npmSetting('userconfig'),
      npm_config_globalconfig: npmSetting('globalconfig'),
      npm_config_cache: npmSetting('cache'),
      ...networkSettings(),
    },
  };
});
