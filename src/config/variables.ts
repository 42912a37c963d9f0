import { nearest } from '../nearest.ts';
import { variableOf } from '../setting.ts';
import { ConfigError, counts, type Environment, type Given, names, suggest, table } from './given.ts';

export function fromEnvironment(env: Environment, cwd: string, contract: string): Given[] {
  const variables = new Map(names.map((name) => [variableOf(name), name]));
  const aliases = new Set<string | undefined>();
  const given: Given[] = [];
  for (const name of names) {
    for (const alias of table[name]!.aliases ?? []) {
      aliases.add(alias.env);
      const raw = alias.env === undefined ? undefined : env[alias.env];
      if (raw && counts(alias, contract))
        given.push({ name, raw, origin: `variable ${alias.env}`, folder: cwd });
    }
  }
  for (const [variable, raw] of Object.entries(env)) {
    if (!variable.startsWith('ADJUTANT_') || raw === undefined || raw === '') continue;
    const name = variables.get(variable);
    if (name === undefined && aliases.has(variable)) continue;
    if (name === undefined) {
      throw new ConfigError(`unknown variable ${variable}${suggest(nearest(variable, variables.keys()))}`);
    }
    given.push({ name, raw, origin: `variable ${variable}`, folder: cwd });
  }
  return given;
}
