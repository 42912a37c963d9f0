import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Places } from '../setting.ts';
import type { Environment } from './raw-setting.ts';

/** Finds the standard folders of the platform: XDG on Linux, Application Support on macOS, AppData on Windows. */
export function findPlaces(env: Environment, home?: string, contract = 'standard'): Places {
  const userHome = env['HOME'] || env['USERPROFILE'] || homedir();
  const xdg = (variable: string, ...fallback: string[]) => {
    const named = env[variable];
    return named !== undefined && isAbsolute(named) ? named : join(userHome, ...fallback);
  };
  if (process.platform === 'win32') {
    const roaming = env['APPDATA'] ?? join(userHome, 'AppData', 'Roaming');
    const state = env['LOCALAPPDATA'] ?? roaming;
    return { home, userHome, data: roaming, settings: roaming, state, env, contract };
  }
  if (process.platform === 'darwin' && env['XDG_DATA_HOME'] === undefined) {
    const support = join(userHome, 'Library', 'Application Support');
    return { home, userHome, data: support, settings: support, state: support, env, contract };
  }
  return {
    home,
    userHome,
    data: xdg('XDG_DATA_HOME', '.local', 'share'),
    settings: xdg('XDG_CONFIG_HOME', '.config'),
    state: xdg('XDG_STATE_HOME', '.local', 'state'),
    env,
    contract,
  };
}
