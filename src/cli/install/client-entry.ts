import { isObject } from '../../json.ts';

/** How a client starts or reaches the server. */
export type Entry =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: string };

type Table = Readonly<Record<string, unknown>>;

/** How the entries of clients differ: extra fields, and the names of fields. */
export interface EntryFormat {
  readonly stdio?: Table;
  readonly http?: Table;
  readonly command?: string;
  readonly url?: string;
  readonly headers?: string;
  /** The command and its arguments form one list. */
  readonly joinsCommand?: true;
}

export function entryWriter({
  stdio,
  http,
  command = 'command',
  url = 'url',
  headers = 'headers',
  joinsCommand,
}: EntryFormat = {}): (entry: Entry) => Table {
  return (entry) => {
    if (entry.kind === 'http')
      return { ...http, [url]: entry.url, [headers]: { Authorization: `Bearer ${entry.token}` } };
    return joinsCommand
      ? { ...stdio, [command]: [entry.command, ...entry.args] }
      : { ...stdio, [command]: entry.command, args: entry.args };
  };
}

/** An entry of any client, as far as it tells how to start or reach the server. */
export type ParsedEntry =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export function parseEntry(entry: Table): ParsedEntry {
  const url = ['url', 'httpUrl', 'serverUrl', 'uri']
    .map((name) => entry[name])
    .find((one) => one !== undefined);
  if (typeof url === 'string')
    return { kind: 'http', url, headers: textsIn(entry, 'headers', 'http_headers') };
  const named = entry['command'] ?? entry['cmd'];
  const args = Array.isArray(entry['args']) ? entry['args'] : [];
  const [command, ...words] = [...(Array.isArray(named) ? named : [named]), ...args].map(String);
  return { kind: 'stdio', command: command!, args: words, env: textsIn(entry, 'env', 'envs', 'environment') };
}

function textsIn(entry: Table, ...names: readonly string[]): Readonly<Record<string, string>> {
  const table = names.map((name) => entry[name]).find(isObject) ?? {};
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, String(value)]));
}
