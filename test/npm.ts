import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** The person's own npm: the one of a script's Node may look elsewhere for its settings. */
const ownPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter);

export function npmSetting(name: string): string {
  const env = { ...process.env, PATH: ownPath };
  return (
    process.env[`npm_config_${name}`] ??
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', env }).trim()
  );
}

/** As a person calls npm in a folder, without what the npm that runs the tests has handed down. */
export function npm(folder: string, ...args: readonly string[]): string {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
    PATH: ownPath,
    // Where packages come from is a matter of the machine.
    npm_config_userconfig: npmSetting('userconfig'),
    npm_config_globalconfig: npmSetting('globalconfig'),
    npm_config_cache: npmSetting('cache'),
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
  };
  return execFileSync('npm', args, { cwd: folder, env, encoding: 'utf8' });
}
