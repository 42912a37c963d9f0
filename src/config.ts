import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { isObject, messageOf } from './json.ts';
import { nearest } from './nearest.ts';
import { type Alias, flagOf, type Places, type Setting, type ValuesOf, variableOf } from './setting.ts';
import { settings } from './settings.ts';
import { withoutPassword } from './without-password.ts';

export type Config = ValuesOf<typeof settings>;
type SettingName = keyof Config;

/** Something the person wrote is wrong; the message says where and what would be right. */
export class ConfigError extends Error {}

/** A flag of one subcommand, beside the settings that every command takes. */
export interface CommandFlag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly description: string;
  /** What may be given, where that is a short list. */
  readonly values?: readonly string[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** Where each value came from, in words. */
  readonly origins: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
}

export interface ConfigSources {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly commandFlags?: Readonly<Record<string, CommandFlag>>;
  /** What to call for help. */
  readonly help?: string;
}

interface Given {
  readonly name: SettingName;
  readonly raw: unknown;
  readonly origin: string;
  /** What a relative path is relative to. */
  readonly folder: string;
}

const table: Readonly<Record<string, Setting>> = settings;
const names = Object.keys(table) as SettingName[];

/** Defaults, then the file, then the environment, then flags. The only reader of the environment. */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const parsed = parseFlags(sources);
  const fromFlags = (name: SettingName) => parsed.values[flagOf(name)];
  const early = (name: 'contract' | 'home' | 'config') => {
    const value = fromFlags(name) ?? sources.env[variableOf(name)];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const contract = early('contract') ?? 'standard';
  const home = early('home') && resolvePath(early('home')!, sources.cwd);
  const places = placesOf(sources.env, home);

  const layers: Given[] = [
    ...(await fromFile(early('config') && resolvePath(early('config')!, sources.cwd), places)),
    ...fromEnvironment(sources, contract),
    ...namedFlags(parsed.values, sources.cwd, contract),
  ];
  const values: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const name of names) {
    const { default: given } = table[name]!;
    values[name] = typeof given === 'function' ? given(places) : given;
    origins[name] = 'default';
  }
  for (const given of layers) {
    // An address that is nothing is none, as in the environment.
    if (table[given.name]!.type === 'address' && given.raw === '') continue;
    values[given.name] = await parseSetting(given);
    origins[given.name] = given.origin;
  }
  const own = Object.keys(sources.commandFlags ?? {}).map((flag) => [flag, parsed.values[flag]]);
  return {
    config: values as Config,
    origins,
    positionals: parsed.positionals,
    flags: Object.fromEntries(own),
  };
}

/** Every setting with its value and where that came from; secrets are not told. */
export function settingsInForce(config: Config, origins: Readonly<Record<string, string>>) {
  return names.map((name) => ({
    name,
    value: withoutSecret(name, config[name]) ?? null,
    origin: origins[name] ?? 'default',
    description: table[name]!.description,
  }));
}

function withoutSecret(name: string, value: unknown): unknown {
  if (value === undefined) return value;
  if (/(password|secret|api_key|token)$/.test(name)) return '(secret)';
  return typeof value === 'string' ? withoutPassword(value) : value;
}

export function placesOf(env: ConfigSources['env'], home?: string): Places {
  const userHome = env['HOME'] || env['USERPROFILE'] || homedir();
  const xdg = (variable: string, ...fallback: string[]) => {
    const named = env[variable];
    return named !== undefined && isAbsolute(named) ? named : join(userHome, ...fallback);
  };
  if (process.platform === 'win32') {
    const roaming = env['APPDATA'] ?? join(userHome, 'AppData', 'Roaming');
    return { home, userHome, data: roaming, settings: roaming, state: env['LOCALAPPDATA'] ?? roaming, env };
  }
  if (process.platform === 'darwin' && env['XDG_DATA_HOME'] === undefined) {
    const support = join(userHome, 'Library', 'Application Support');
    return { home, userHome, data: support, settings: support, state: support, env };
  }
  return {
    home,
    userHome,
    data: xdg('XDG_DATA_HOME', '.local', 'share'),
    settings: xdg('XDG_CONFIG_HOME', '.config'),
    state: xdg('XDG_STATE_HOME', '.local', 'state'),
    env,
  };
}

// ── Flags ──────────────────────────────────────────────────────────────────────────────────────────────────

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

function parseFlags({ argv, commandFlags = {}, help = 'adjutant --help' }: ConfigSources) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  const kind = (setting: Setting) => ({
    type: setting.type === 'boolean' ? ('boolean' as const) : ('string' as const),
    ...(setting.type === 'list' && { multiple: true }),
  });
  for (const name of names) if (table[name]!.type !== 'structure') options[flagOf(name)] = kind(table[name]!);
  for (const [flag, [first]] of aliasFlags()) options[flag] = kind(table[first!.name]!);
  for (const [flag, { type, short, multiple }] of Object.entries(commandFlags)) {
    options[flag] = { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) };
  }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    throw new ConfigError(flagMessage(error as NodeJS.ErrnoException, Object.keys(options), help));
  }
}

function flagMessage(error: NodeJS.ErrnoException, known: readonly string[], help: string): string {
  const [, dashes = '', name] = /^[^']*'(?:-\w, )?(--?)([^'\s=]+)/.exec(error.message) ?? [];
  if (name === undefined) return error.message;
  const flag = dashes + name;
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant =
      dashes === '-' ? undefined : (nearest(name, known) ?? known.find((one) => one.endsWith(`-${name}`)));
    return `unknown flag ${flag}; ${meant === undefined ? `run ${help} for what there is` : `did you mean --${meant}?`}`;
  }
  if (error.message.includes('does not take an argument')) return `${flag} takes no value`;
  const dashed = dashes === '--' && error.message.includes('ambiguous');
  return `${flag} needs a value${dashed ? `; one that begins with a dash is written ${flag}=-…` : ''}`;
}

function namedFlags(values: Readonly<Record<string, unknown>>, cwd: string, contract: string): Given[] {
  const given: Given[] = [];
  for (const name of names) {
    const raw = values[flagOf(name)];
    if (raw !== undefined) given.push({ name, raw, origin: `flag --${flagOf(name)}`, folder: cwd });
  }
  for (const [flag, targets] of aliasFlags()) {
    const raw = values[flag];
    if (raw === undefined) continue;
    const meant = targets.filter(({ alias }) => counts(alias, contract));
    if (meant.length === 0) {
      const contracts = targets.flatMap(({ alias }) => alias.contracts ?? []).join(' or ');
      const instead = targets.map(({ name }) => `--${flagOf(name)}`).join(' or ');
      throw new ConfigError(`--${flag} belongs to --contract ${contracts}; otherwise use ${instead}`);
    }
    for (const { name } of meant) given.push({ name, raw, origin: `flag --${flag}`, folder: cwd });
  }
  return given;
}

function counts(alias: Alias, contract: string): boolean {
  return alias.contracts === undefined || alias.contracts.some((name) => name === contract);
}

// ── Environment ────────────────────────────────────────────────────────────────────────────────────────────

function fromEnvironment({ env, cwd }: ConfigSources, contract: string): Given[] {
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
      throw new ConfigError(
        `unknown variable ${variable}${suggest(nearest(variable, variables.keys()), '')}`,
      );
    }
    given.push({ name, raw, origin: `variable ${variable}`, folder: cwd });
  }
  return given;
}

// ── File ───────────────────────────────────────────────────────────────────────────────────────────────────

async function fromFile(named: string | undefined, places: Places): Promise<Given[]> {
  const file =
    named ??
    (places.home ? join(places.home, 'adjutant.toml') : join(places.settings, 'adjutant', 'adjutant.toml'));
  if (named === undefined && !existsSync(file)) return [];
  const { parse } = await import('smol-toml');
  let content: Record<string, unknown>;
  try {
    content = parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(`${file}: ${missing ? 'there is no such file' : messageOf(error)}`);
  }
  return flatten(content, '').map(([key, raw]) => {
    const name = names.find((candidate) => candidate === key);
    if (name === undefined)
      throw new ConfigError(`${file}: unknown key "${key}"${suggest(nearest(key, names), '')}`);
    if (name === 'config' || name === 'home')
      throw new ConfigError(
        `${file}: "${name}" cannot be set in a file; use --${name} or ${variableOf(name)}`,
      );
    return { name, raw, origin: `file ${file}`, folder: dirname(file) };
  });
}

/** Dotted keys, down to the settings themselves: a structure is one value, not a folder of keys. */
function flatten(value: Readonly<Record<string, unknown>>, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const name = prefix + key;
    return isObject(inner) && !(name in table) ? flatten(inner, `${name}.`) : [[name, inner]];
  });
}

function suggest(candidate: string | undefined, prefix: string): string {
  return candidate === undefined
    ? '; run adjutant --help for what there is'
    : `; did you mean ${prefix}${candidate}?`;
}

// ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────

async function parseSetting({ name, raw, origin, folder }: Given): Promise<unknown> {
  const setting = table[name]!;
  const wrong = (wanted: string) =>
    new ConfigError(`${origin}: ${name} must be ${wanted}, not ${JSON.stringify(withoutSecret(name, raw))}`);
  switch (setting.type) {
    case 'string':
      if (typeof raw !== 'string') throw wrong('a string');
      return raw;
    case 'address': {
      const { schemes } = setting;
      const url = typeof raw === 'string' ? URL.parse(raw) : null;
      if (url === null || url.hostname === '' || !schemes.includes(url.protocol.slice(0, -1)))
        // It is not quoted: in one that is written wrongly a password may be anywhere.
        throw new ConfigError(
          `${origin}: ${name} must be an address with ${schemes.map((scheme) => `${scheme}://`).join(' or ')} (special characters of a password as % codes)`,
        );
      return raw;
    }
    case 'path':
      if (typeof raw !== 'string' || raw === '') throw wrong('a path');
      return resolvePath(raw, folder);
    case 'integer': {
      const number =
        typeof raw === 'string' && /^-?\d+$/.test(raw)
          ? Number(raw)
          : typeof raw === 'bigint'
            ? Number(raw)
            : raw;
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = setting;
      if (!Number.isSafeInteger(number)) throw wrong('a whole number');
      if ((number as number) < minimum) throw wrong(`at least ${minimum}`);
      if ((number as number) > maximum) throw wrong(`at most ${maximum}`);
      return number;
    }
    case 'boolean': {
      const spelled: Readonly<Record<string, boolean>> = {
        true: true,
        '1': true,
        yes: true,
        on: true,
        false: false,
        '0': false,
        no: false,
        off: false,
      };
      const boolean = typeof raw === 'string' ? spelled[raw.toLowerCase()] : raw;
      if (typeof boolean !== 'boolean') throw wrong('true or false');
      return boolean;
    }
    case 'list': {
      const list = typeof raw === 'string' ? raw.split(',') : raw;
      if (!Array.isArray(list) || list.some((item) => typeof item !== 'string'))
        throw wrong('a list of strings');
      return list
        .flatMap((item: string) => item.split(','))
        .map((item) => item.trim())
        .filter((item) => item !== '');
    }
    case 'choice':
      if (!setting.values.includes(raw as string)) {
        throw new ConfigError(
          `${origin}: ${name} must be one of ${setting.values.join(', ')}, not ${JSON.stringify(raw)}${typeof raw === 'string' && nearest(raw, setting.values) ? `; did you mean ${nearest(raw, setting.values)}?` : ''}`,
        );
      }
      return raw;
    case 'structure': {
      const { Check, Errors } = await import('typebox/schema');
      if (Check(setting.schema, raw)) return withPaths(raw, setting.paths ?? [], folder);
      const [first] = Errors(setting.schema, raw)[1] as { instancePath: string; message: string }[];
      throw new ConfigError(
        `${origin}: ${name}${first?.instancePath.replaceAll('/', '.')} ${first?.message}`,
      );
    }
  }
}

function withPaths(value: unknown, keys: readonly string[], folder: string): unknown {
  if (!Array.isArray(value) || keys.length === 0) return value;
  return value.map((item: unknown) =>
    isObject(item)
      ? Object.fromEntries(
          Object.entries(item).map(([key, inner]) => [
            key,
            keys.includes(key) && typeof inner === 'string' ? resolvePath(inner, folder) : inner,
          ]),
        )
      : item,
  );
}

function resolvePath(written: string, folder: string): string {
  const expanded = written === '~' || written.startsWith('~/') ? join(homedir(), written.slice(1)) : written;
  return resolve(folder, expanded);
}
