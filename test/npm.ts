import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** PATH without node_modules, to find the system's npm. The npm in node_modules may read other settings. */
const systemPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter);

export function npmSetting(name: string): string {
  const env = { ...process.env, PATH: systemPath };
  return (
    process.env[`npm_config_${name}`] ??
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', env }).trim()
  );
}

/** Runs npm in a folder, without the npm variables that the test run inherited. */
export function npm(folder: string, ...args: readonly string[]): string {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
    PATH: systemPath,
    // Keep the machine's settings for registries and caches.
    npm_config_userconfig: npmSetting('userconfig'),
    npm_config_globalconfig: npmSetting('globalconfig'),
    npm_config_cache: npmSetting('cache'),
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
  };
  return execFileSync('npm', args, { cwd: folder, env, encoding: 'utf8' });
}

/** The certificates and proxies that this machine needs to reach the npm registry. */
export function networkSettings(): Record<string, string> {
  const names = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|ALL|NO)_PROXY)$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && names.test(name) ? [[name, value]] : [],
    ),
  );
}
