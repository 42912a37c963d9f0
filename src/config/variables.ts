import { messageOf } from '../json.ts';
import { nearest } from '../nearest.ts';
import { readRegularFileSync } from '../regular-file.ts';
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

const maxValueBytes = 64 * 1024;

export function fromEnvironment(
  env: Environment,
  cwd: string,
  contract: string,
  removed: Removed,
): RawSetting[] {
  const variables = new Map([...names, ...Object.keys(removed)].map((name) => [variableName(name), name]));
  const aliases = new Set<string | undefined>();
  const settings: RawSetting[] = [];
  const add = (name: string, variable: string) => {
    const given = valueIn(env, variable, takesFile(name));
    if (given !== undefined) settings.push({ ...given, name, folder: cwd });
  };
  for (const name of names) {
    for (const alias of table[name]!.aliases ?? []) {
      if (alias.env === undefined) continue;
      aliases.add(alias.env);
      if (isAliasValid(alias, contract)) add(name, alias.env);
    }
  }
  for (const [variable, raw] of Object.entries(env)) {
    if (!variable.startsWith('ADJUTANT_') || raw === undefined || raw === '') continue;
    const ofFile = variables.get(variable.replace(/_FILE$/, ''));
    const name = variables.get(variable) ?? (ofFile !== undefined && takesFile(ofFile) ? ofFile : undefined);
    if (name === undefined && aliases.has(variable)) continue;
    if (name === undefined) {
      throw new ConfigError(`unknown variable ${variable}${suggest(nearest(variable, variables.keys()))}`);
    }
    add(name, variableName(name));
  }
  return settings;
}

/** Texts and addresses can be secrets. */
function takesFile(name: string): boolean {
  return table[name]?.type === 'string' || table[name]?.type === 'address';
}

/**
 * The value of a variable, or the content of the file that the variable with `_FILE` names: containers and service managers
 * hand out secrets as files, because others can see variables and flags.
 */
function valueIn(
  env: Environment,
  variable: string,
  withFile: boolean,
): Pick<RawSetting, 'raw' | 'origin'> | undefined {
  const raw = env[variable];
  const fileVariable = `${variable}_FILE`;
  const file = withFile ? env[fileVariable] : undefined;
  if (raw && file) throw new ConfigError(`${variable} and ${fileVariable} are both set; use one of them`);
  if (raw) return { raw, origin: `variable ${variable}` };
  if (!file) return undefined;
  try {
    const content = readRegularFileSync(file, maxValueBytes).replace(/\r?\n$/, '');
    return { raw: content, origin: `variable ${fileVariable}` };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(
      `variable ${fileVariable}: ${isMissing ? `${file} does not exist` : messageOf(error)}`,
    );
  }
}
