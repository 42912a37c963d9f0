import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, messageOf } from '../json.ts';
import { nearest } from '../nearest.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { type Places, variableName } from '../setting.ts';
import { ConfigError, names, type RawSetting, type Removed, suggest, table } from './raw-setting.ts';

/** Reads the settings of a named file, or of the standard file if it exists. */
export async function fromFile(
  named: string | undefined,
  places: Places,
  removed: Removed,
): Promise<RawSetting[]> {
  const file =
    named ??
    (places.home ? join(places.home, 'adjutant.toml') : join(places.settings, 'adjutant', 'adjutant.toml'));
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
