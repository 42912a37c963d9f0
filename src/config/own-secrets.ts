import { join } from 'node:path';
import { readRegularFileSync } from '../regular-file.ts';
import { findPlaces } from './places.ts';
import { type Config, type Environment, names } from './raw-setting.ts';
import { isSecret } from './values.ts';

/** Files and folders with Adjutant's own credentials and messages: settings, token, passwords and outbox. */
export function ownFiles(config: Config, env: Environment): readonly string[] {
  const places = findPlaces(env, config.home);
  return [
    config.config ??
      (places.home ? join(places.home, 'adjutant.toml') : join(places.settings, 'adjutant', 'adjutant.toml')),
    tokenFile(config),
    join(config['http.state_dir'], 'tokens'),
    join(config['http.state_dir'], 'audit'),
    config['calendars.passwords_file'],
    config['delivery.outbox_dir'],
  ];
}

/** The folders that belong to Adjutant alone. */
export function ownFolders(config: Config, env: Environment): readonly string[] {
  const { home, settings, state, data } = findPlaces(env, config.home);
  if (home !== undefined) return [home];
  return [...new Set([settings, state, data].map((folder) => join(folder, 'adjutant')))];
}

/** The values of all settings that are secret, with the token, by a name that says so. */
export function ownSecrets(config: Config): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = config[name];
    if (typeof value !== 'string') continue;
    if (isSecret(name)) found[`SECRET ${name}`] = value;
    const password = URL.parse(value)?.password;
    if (password) found[`SECRET ${name} password`] = decodeURIComponent(password);
  }
  try {
    found['SECRET token'] = readRegularFileSync(tokenFile(config), 4096).trim();
  } catch {
    // There is no token before the first start over HTTP.
  }
  return found;
}

function tokenFile(config: Config): string {
  return config['http.token_file'] ?? join(config['http.state_dir'], 'token');
}
