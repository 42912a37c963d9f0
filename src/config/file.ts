import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, messageOf } from '../json.ts';
import { nearest } from '../nearest.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { type Places, variableName } from '../setting.ts';
import { ConfigError, names, type RawSetting, type Removed, suggest, table } from './raw-setting.ts';
import { withoutSecret } from './values.ts';

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

/** A settings file without the values of secret settings. It keeps its comments if it has none. */
export async function settingsWithoutSecrets(text: string): Promise<string> {
  const { parse, stringify } = await import('smol-toml');
  let isChanged = false;
  const clean = (content: Readonly<Record<string, unknown>>, prefix: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(content).flatMap(([key, value]) => {
        if (isObject(value)) return [[key, clean(value, `${prefix}${key}.`)]];
        const isOpen = withoutSecret(`${prefix}${key}`, value) === value;
        isChanged ||= !isOpen;
        return isOpen ? [[key, value]] : [];
      }),
    );
  const cleaned = clean(parse(text), '');
  return isChanged ? stringify(cleaned) : text;
}
