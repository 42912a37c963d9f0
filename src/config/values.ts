import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import { withoutPassword } from '../without-password.ts';
import { ConfigError, type Given, table } from './given.ts';

export function withoutSecret(name: string, value: unknown): unknown {
  if (value === undefined) return value;
  if (/(password|secret|api_key|token)$/.test(name)) return '(secret)';
  return typeof value === 'string' ? withoutPassword(value) : value;
}

export async function parseSetting({ name, raw, origin, folder }: Given): Promise<unknown> {
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
        .filter((item) => item !== '')
        .map((item) => (setting.paths ? resolvePath(item, folder) : item));
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

export function resolvePath(written: string, folder: string): string {
  const expanded = written === '~' || written.startsWith('~/') ? join(homedir(), written.slice(1)) : written;
  return resolve(folder, expanded);
}
