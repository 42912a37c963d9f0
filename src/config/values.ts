import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import { withoutPassword } from '../without-password.ts';
import { ConfigError, type RawSetting, table } from './raw-setting.ts';

/** Whether the value of this setting must not be shown. */
export function isSecret(name: string): boolean {
  return /(password|secret|api_?key|token)$/i.test(name);
}

/** Masks secrets, so that the value can be shown. */
export function withoutSecret(name: string, value: unknown): unknown {
  if (value === undefined) return value;
  if (isSecret(name)) return '(secret)';
  return typeof value === 'string' ? withoutPassword(value) : value;
}

export async function parseSetting({ name, raw, origin, folder }: RawSetting): Promise<unknown> {
  const setting = table[name]!;
  const invalid = (expected: string) =>
    new ConfigError(
      `${origin}: ${name} must be ${expected}, not ${JSON.stringify(withoutSecret(name, raw))}`,
    );
  switch (setting.type) {
    case 'string':
      if (typeof raw !== 'string') throw invalid('a string');
      return raw;
    case 'address': {
      const { schemes } = setting;
      const url = typeof raw === 'string' ? URL.parse(raw) : null;
      if (url === null || url.hostname === '' || !schemes.includes(url.protocol.slice(0, -1)))
        // The value is not quoted: in an invalid address the password can be anywhere.
        throw new ConfigError(
          `${origin}: ${name} must be an address with ${schemes.map((scheme) => `${scheme}://`).join(' or ')} (write special characters of a password as % codes)`,
        );
      return raw;
    }
    case 'path':
      if (typeof raw !== 'string' || raw === '') throw invalid('a path');
      return resolvePath(raw, folder);
    case 'integer': {
      const number =
        typeof raw === 'string' && /^-?\d+$/.test(raw)
          ? Number(raw)
          : typeof raw === 'bigint'
            ? Number(raw)
            : raw;
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = setting;
      if (!Number.isSafeInteger(number)) throw invalid('a whole number');
      if ((number as number) < minimum) throw invalid(`at least ${minimum}`);
      if ((number as number) > maximum) throw invalid(`at most ${maximum}`);
      return number;
    }
    case 'boolean': {
      const booleans: Readonly<Record<string, boolean>> = {
        true: true,
        '1': true,
        yes: true,
        on: true,
        false: false,
        '0': false,
        no: false,
        off: false,
      };
      const boolean = typeof raw === 'string' ? booleans[raw.toLowerCase()] : raw;
      if (typeof boolean !== 'boolean') throw invalid('true or false');
      return boolean;
    }
    case 'list': {
      const list = typeof raw === 'string' ? raw.split(',') : raw;
      if (!Array.isArray(list) || list.some((item) => typeof item !== 'string'))
        throw invalid('a list of strings');
      const items = list
        .flatMap((item: string) => item.split(','))
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map((item) => setting.successors?.get(item) ?? item);
      const unknown = setting.values && items.find((item) => !setting.values!.includes(item));
      if (unknown === undefined)
        return setting.paths ? items.map((item) => resolvePath(item, folder)) : items;
      const meant = nearest(unknown, setting.values!);
      throw new ConfigError(
        `${origin}: ${name} has no item ${JSON.stringify(unknown)}; ${meant === undefined ? `the items are ${setting.values!.join(', ')}` : `did you mean ${meant}?`}`,
      );
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

/** Resolves the paths in a list of tables. */
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

/** Expands `~` and resolves a path against a folder. */
export function resolvePath(written: string, folder: string): string {
  const expanded = written === '~' || written.startsWith('~/') ? join(homedir(), written.slice(1)) : written;
  return resolve(folder, expanded);
}
