import { fromFile, standardFile } from './config/file.ts';
import { type FlagSources, namedFlags, parseFlags } from './config/flags.ts';
import { findPlaces } from './config/places.ts';
import {
  type Config,
  type Environment,
  names,
  type RawSetting,
  removedTable,
  type SettingName,
  table,
} from './config/raw-setting.ts';
import { parseSetting, resolvePath, withoutSecret } from './config/values.ts';
import { fromEnvironment } from './config/variables.ts';
import { log } from './log.ts';
import { flagName, variableName } from './setting.ts';

export { settingsWithoutSecrets, settingsWithSecretsOf } from './config/file.ts';
export { withSetting, withTable } from './config/file-edit.ts';
export type { CommandFlag } from './config/flags.ts';
export { ownFiles, ownFolders, ownSecrets, secretFiles, withoutOwnVariables } from './config/own-data.ts';
export { findPlaces } from './config/places.ts';
export { type Config, ConfigError, UnknownFlag } from './config/raw-setting.ts';
export { parseSetting, withoutSecret } from './config/values.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** The file of the settings, which may not exist. */
  readonly file: string;
  /** Where each value came from: `default`, `file PATH`, `variable NAME` or `flag --NAME`. */
  readonly origins: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
}

export interface ConfigSources extends FlagSources {
  readonly env: Environment;
  readonly cwd: string;
}

/** Reads settings in order of priority: defaults, file, environment, flags. Nothing else reads the environment. */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const { removed = removedTable } = sources;
  const parsed = parseFlags(sources);
  const flagValue = (name: SettingName) => parsed.values[flagName(name)];
  // These three settings decide how the others are read.
  const readEarly = (name: 'contract' | 'home' | 'config') => {
    const value = flagValue(name) ?? sources.env[variableName(name)];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const contract = readEarly('contract') ?? 'standard';
  const home = readEarly('home') && resolvePath(readEarly('home')!, sources.cwd);
  const places = findPlaces(sources.env, home, contract);

  const named = readEarly('config') && resolvePath(readEarly('config')!, sources.cwd);
  const layers: RawSetting[] = [
    ...(await fromFile(named, places, removed)),
    ...fromEnvironment(sources.env, sources.cwd, contract, removed),
    ...namedFlags(parsed.values, sources.cwd, contract, removed),
  ];
  const values: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const name of names) {
    const { default: given } = table[name]!;
    values[name] = typeof given === 'function' ? given(places) : given;
    origins[name] = 'default';
  }
  for (const given of layers) {
    const former = removed[given.name];
    if (former !== undefined) {
      const text = `the setting ${given.name} was removed and has no effect. ${former.reason}`;
      log('warning', `${given.origin}: ${text}`);
      continue;
    }
    // An empty address means that none is set, as it does in the environment.
    if (table[given.name]!.type === 'address' && given.raw === '') continue;
    values[given.name] = await parseSetting(given);
    origins[given.name] = given.origin;
  }
  const own = Object.keys(sources.commandFlags ?? {}).map((flag) => [flag, parsed.values[flag]]);
  return {
    config: values as Config,
    file: named ?? standardFile(places),
    origins,
    positionals: parsed.positionals,
    flags: Object.fromEntries(own),
  };
}

/** Every setting with its value and origin. Secrets are masked. */
export function settingsInForce(config: Config, origins: Readonly<Record<string, string>>) {
  return names.map((name) => ({
    name,
    value: withoutSecret(name, config[name]) ?? null,
    origin: origins[name] ?? 'default',
    description: table[name]!.description,
  }));
}

/** Whether the settings name anything that can be served as a skill. */
export function mayHaveSkills(config: Config): boolean {
  const sources: readonly unknown[] = [
    ...config['skills.folders'],
    ...(config['prompts.mounts'] as readonly unknown[]),
    ...(config['prompts.repositories'] as readonly unknown[]),
  ];
  return config['skills.prompts'] !== 'none' || sources.length > 0;
}
