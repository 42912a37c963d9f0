import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, messageOf } from '../json.ts';
import { nearest } from '../nearest.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { type Places, variableName } from '../setting.ts';
import { withoutPassword } from '../without-password.ts';
import { withSetting } from './file-edit.ts';
import { ConfigError, names, type RawSetting, type Removed, suggest, table } from './raw-setting.ts';
import { isSecret, withoutSecret } from './values.ts';

/** The file of the settings, unless another one is named. */
export function standardFile({ home, settings }: Places): string {
  return home ? join(home, 'adjutant.toml') : join(settings, 'adjutant', 'adjutant.toml');
}

/** Reads the settings of a named file, or of the standard file if it exists. */
export async function fromFile(
  named: string | undefined,
  places: Places,
  removed: Removed,
): Promise<RawSetting[]> {
  const file = named ?? standardFile(places);
  if (named === undefined && !existsSync(file)) return [];
  const { parse } = await import('smol-toml');
  let content: Record<string, unknown>;
  try {
    content = parse(readRegularFileSync(file).replace(/^\uFEFF/, ''));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'no such file' : messageOf(error);
    // Some messages start with the path already.
    throw new ConfigError(why.startsWith(file) ? why : `${file}: ${why}`);
  }
  return flatten(content, removed, '').map(([key, raw]) => {
    const name = Object.hasOwn(removed, key) ? key : names.find((candidate) => candidate === key);
    if (name === undefined)
      throw new ConfigError(`${file}: unknown key "${key}"${suggest(nearest(key, names))}`);
    if (name === 'config' || name === 'home')
      throw new ConfigError(
        `${file}: "${name}" cannot be set in a file; use --${name} or ${variableName(name)}`,
      );
    return { name, raw, origin: `file ${file}`, folder: dirname(file) };
  });
}

/** Flattens tables to dotted keys. A structured setting stays one value. */
function flatten(
  value: Readonly<Record<string, unknown>>,
  removed: Removed,
  prefix: string,
): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const name = prefix + key;
    const isWhole = name in table || Object.hasOwn(removed, name);
    return isObject(inner) && !isWhole ? flatten(inner, removed, `${name}.`) : [[name, inner]];
  });
}

/**
 * A settings file without its secrets, and the names of the settings that lost a value. It keeps its comments if it has no secrets.
 * In lists and tables, an address only loses its password, because the settings would be invalid without the address.
 */
export async function settingsWithoutSecrets(
  text: string,
): Promise<{ readonly text: string; readonly secrets: readonly string[] }> {
  const { parse, stringify } = await import('smol-toml');
  const secrets = new Set<string>();
  const clean = (name: string, value: unknown, setting: string | undefined): unknown => {
    const whole = setting ?? (name in table ? name : undefined);
    if (Array.isArray(value))
      return value.map((item) => clean(name, item, whole ?? name)).filter((item) => item !== undefined);
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value)
          .map(([key, inner]) => [key, clean(name === '' ? key : `${name}.${key}`, inner, whole)] as const)
          .filter(([, inner]) => inner !== undefined),
      );
    if (withoutSecret(name, value) === value) return value;
    secrets.add(setting ?? name);
    return setting === undefined || isSecret(name) ? undefined : withoutLogin(String(value));
  };
  const cleaned = clean('', parse(text), undefined) as Record<string, unknown>;
  return { text: secrets.size > 0 ? stringify(cleaned) : text, secrets: [...secrets] };
}

function withoutLogin(address: string): string {
  const url = URL.parse(address);
  if (url === null) return withoutPassword(address);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Takes single values of these settings from another settings file. Returns the names of those that it does not have. */
export async function settingsWithSecretsOf(
  text: string,
  other: string,
  names: readonly string[],
): Promise<{ readonly text: string; readonly missing: readonly string[] }> {
  const { parse } = await import('smol-toml');
  let merged = text;
  const missing: string[] = [];
  for (const name of names) {
    try {
      const value = name
        .split('.')
        .reduce<unknown>((inner, part) => (isObject(inner) ? inner[part] : undefined), parse(other));
      if (typeof value !== 'string') missing.push(name);
      else merged = await withSetting(merged, name, value);
    } catch {
      // One of the files is not valid, or cannot be changed safely.
      missing.push(name);
    }
  }
  return { text: merged, missing };
}
