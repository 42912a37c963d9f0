import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { followPage } from '../docs-runner.ts';
import { npmSetting } from '../npm.ts';

vi.setConfig({ testTimeout: 240_000 });

// A fresh clone on a bare machine: no command of ours but the one that the page puts on the PATH.
followPage('README.md', (home) => {
  execFileSync('git', ['clone', '--quiet', '.', join(home, 'clone')]);
  const prefix = join(home, 'global');
  return {
    cwd: 'clone',
    env: {
      ADJUTANT_HOME: '',
      PATH: [join(prefix, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      npm_config_prefix: prefix,
      // Where packages come from is a matter of the machine.
      npm_config_userconfig: npmSetting('userconfig'),
      npm_config_globalconfig: npmSetting('globalconfig'),
      npm_config_cache: npmSetting('cache'),
    },
  };
});
