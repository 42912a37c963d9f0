import { join, resolve } from 'node:path';
import { isObject } from '../json.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { decodePercent } from '../single-line.ts';
import { standardFile } from './file.ts';
import { findPlaces } from './places.ts';
import { type Config, type Environment, names, table } from './raw-setting.ts';
import { isSecret, withoutSecret } from './values.ts';

/** Files and folders with Adjutant's own credentials and messages: settings, token, passwords, outbox and backups. */
export function ownFiles(config: Config, env: Environment): readonly string[] {
  const places = findPlaces(env, config.home);
  return [
    config.config ?? standardFile(places),
    tokenFile(config),
    join(config['http.state_dir'], 'tokens'),
    join(config['http.state_dir'], 'audit'),
    config['calendars.passwords_file'],
    config['delivery.outbox_dir'],
    ...[config['backup.daily_dir']].filter((folder) => folder !== undefined),
    ...secretFilesOf(env),
    ...repositoryTokens(config),
  ];
}

/** The files that hold nothing but a secret. */
export function secretFiles(
  config: Config,
  origins: Readonly<Record<string, string>>,
  env: Environment,
): readonly string[] {
  const named = Object.entries(config).flatMap(([name, value]) => {
    const [, variable = ''] = /^variable (\w+_FILE)$/.exec(origins[name] ?? '') ?? [];
    const file = withoutSecret(name, value) === value ? undefined : env[variable];
    return file === undefined ? [] : [resolve(file)];
  });
  const files = [
    tokenFile(config),
    config['calendars.passwords_file'],
    ...named,
    ...repositoryTokens(config),
  ];
  return [...new Set(files)];
}

/** The files with tokens for repositories of prompts. */
function repositoryTokens(config: Config): readonly string[] {
  return (config['prompts.repositories'] as readonly unknown[]).flatMap((one) =>
    isObject(one) && typeof one['token_file'] === 'string' ? [one['token_file']] : [],
  );
}

/** The files from which settings were read that variables name, such as ADJUTANT_DELIVERY_SMTP_URL_FILE. */
function secretFilesOf(env: Environment): readonly string[] {
  return Object.entries(env).flatMap(([variable, file]) =>
    file && variable.endsWith('_FILE') && isOwn(variable) ? [resolve(file)] : [],
  );
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
    if (password) found[`SECRET ${name} password`] = decodePercent(password);
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

let aliases: ReadonlySet<string | undefined> | undefined;

/** True for variables that only Adjutant reads. Aliases marked as shared belong to other programs too. */
function isOwn(variable: string): boolean {
  aliases ??= new Set(
    names.flatMap((name) =>
      (table[name]!.aliases ?? []).flatMap(({ env, shared }) => (shared ? [] : [env, `${env}_FILE`])),
    ),
  );
  return variable.startsWith('ADJUTANT_') || aliases.has(variable);
}

/** The environment for programs that Adjutant starts, without its own settings and secrets. */
export function withoutOwnVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !isOwn(variable.toUpperCase())));
}
