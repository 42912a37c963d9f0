import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../nearest.ts';
import { type Alias, flagName, type Setting } from '../setting.ts';
import {
  ConfigError,
  isAliasValid,
  names,
  type RawSetting,
  type Removed,
  removedTable,
  type SettingName,
  table,
  UnknownFlag,
} from './raw-setting.ts';

/** A flag that belongs to one command. Flags of settings are valid for every command. */
export interface CommandFlag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly description: string;
  /** What the value is called in the help, such as `FILE`. */
  readonly value?: string;
  /** Allowed values, if the flag has a fixed list. */
  readonly values?: readonly string[];
  /** The argument of a tool that the flag gives, if it is not named like the flag. */
  readonly argument?: string;
  /** How the value is converted for a tool. Default: it stays a text. */
  readonly format?: 'number' | 'json' | 'path';
}

export interface FlagSources {
  readonly argv: readonly string[];
  readonly commandFlags?: Readonly<Record<string, CommandFlag>>;
  /** Command line that prints the help, for error messages. */
  readonly help?: string;
  /** Settings of earlier versions, for tests. Default: those of the program. */
  readonly removed?: Removed;
}

function aliasFlags(): ReadonlyMap<string, readonly { name: SettingName; alias: Alias }[]> {
  const flags = new Map<string, { name: SettingName; alias: Alias }[]>();
  for (const name of names) {
    for (const alias of table[name]!.aliases ?? []) {
      if (alias.flag !== undefined)
        flags.set(alias.flag, [...(flags.get(alias.flag) ?? []), { name, alias }]);
    }
  }
  return flags;
}

export function parseFlags({
  argv,
  commandFlags = {},
  help = 'adjutant --help',
  removed = removedTable,
}: FlagSources) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  const kind = (setting: Pick<Setting, 'type'>) => ({
    type: setting.type === 'boolean' ? ('boolean' as const) : ('string' as const),
    ...(setting.type === 'list' && { multiple: true }),
  });
  for (const [name, setting] of Object.entries(removed)) options[flagName(name)] = kind(setting);
  for (const name of names)
    if (table[name]!.type !== 'structure') options[flagName(name)] = kind(table[name]!);
  for (const [flag, [first]] of aliasFlags()) options[flag] = kind(table[first!.name]!);
  for (const [flag, { type, short, multiple }] of Object.entries(commandFlags)) {
    options[flag] = { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) };
  }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    throw flagError(error as NodeJS.ErrnoException, Object.keys(options), help);
  }
}

function flagError(error: NodeJS.ErrnoException, known: readonly string[], help: string): ConfigError {
  const [, dashes = '', name] = /^[^']*'(?:-\w, )?(--?)([^'\s=]+)/.exec(error.message) ?? [];
  if (name === undefined) return new ConfigError(error.message);
  const flag = dashes + name;
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant =
      dashes === '-' ? undefined : (nearest(name, known) ?? known.find((one) => one.endsWith(`-${name}`)));
    const advice = meant === undefined ? `${help} lists the flags` : `did you mean --${meant}?`;
    return new UnknownFlag(`unknown flag ${flag}; ${advice}`, flag);
  }
  if (error.message.includes('does not take an argument')) return new ConfigError(`${flag} takes no value`);
  const dashed = dashes === '--' && error.message.includes('ambiguous');
  return new ConfigError(
    `${flag} needs a value${dashed ? `; write a value that begins with a dash as ${flag}=-…` : ''}`,
  );
}

export function namedFlags(
  values: Readonly<Record<string, unknown>>,
  cwd: string,
  contract: string,
  removed: Removed,
): RawSetting[] {
  const settings: RawSetting[] = [];
  for (const pair of (values['set'] ?? []) as readonly string[]) {
    const [, name = '', raw] = /^([\w.]+)=(.*)$/s.exec(pair) ?? [];
    if (raw === undefined) throw new ConfigError(`--set takes KEY=VALUE, not "${pair}"`);
    if (!Object.hasOwn(table, name) && !Object.hasOwn(removed, name)) {
      const meant = nearest(name, names) ?? names.find((one) => one.endsWith(`.${name}`));
      throw new ConfigError(
        `unknown setting "${name}"; ${meant === undefined ? 'adjutant config list shows all' : `did you mean ${meant}?`}`,
      );
    }
    if (table[name]?.type === 'structure')
      throw new ConfigError(`${name} can only be set in adjutant.toml, because it has several values`);
    settings.push({ name, raw, origin: 'flag --set', folder: cwd });
  }
  for (const name of [...names, ...Object.keys(removed)]) {
    const raw = values[flagName(name)];
    if (raw !== undefined) settings.push({ name, raw, origin: `flag --${flagName(name)}`, folder: cwd });
  }
  for (const [flag, targets] of aliasFlags()) {
    const raw = values[flag];
    if (raw === undefined) continue;
    const meant = targets.filter(({ alias }) => isAliasValid(alias, contract));
    if (meant.length === 0) {
      const contracts = targets.flatMap(({ alias }) => alias.contracts ?? []).join(' or ');
      const instead = targets.map(({ name }) => `--${flagName(name)}`).join(' or ');
      throw new ConfigError(`--${flag} works only with --contract ${contracts}; use ${instead} instead`);
    }
    for (const { name } of meant) settings.push({ name, raw, origin: `flag --${flag}`, folder: cwd });
  }
  return settings;
}
