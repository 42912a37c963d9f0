import { nearest } from '../nearest.ts';
import { variableName } from '../setting.ts';
import {
  ConfigError,
  type Environment,
  isAliasValid,
  names,
  type RawSetting,
  type Removed,
  suggest,
  table,
} from './raw-setting.ts';

export function fromEnvironment(
  env: Environment,
  cwd: string,
  contract: string,
  removed: Removed,
): RawSetting[] {
  const variables = new Map([...names, ...Object.keys(removed)].map((name) => [variableName(name), name]));
  const aliases = new Set<string | undefined>();
  const settings: RawSetting[] = [];
  for (const name of names) {
    for (const alias of table[name]!.aliases ?? []) {
      aliases.add(alias.env);
      const raw = alias.env === undefined ? undefined : env[alias.env];
      if (raw && isAliasValid(alias, contract))
        settings.push({ name, raw, origin: `variable ${alias.env}`, folder: cwd });
    }
  }
  for (const [variable, raw] of Object.entries(env)) {
    if (!variable.startsWith('ADJUTANT_') || raw === undefined || raw === '') continue;
    const name = variables.get(variable);
    if (name === undefined && aliases.has(variable)) continue;
    if (name === undefined) {
      throw new ConfigError(`unknown variable ${variable}${suggest(nearest(variable, variables.keys()))}`);
    }
    settings.push({ name, raw, origin: `variable ${variable}`, folder: cwd });
  }
  return settings;
}
