import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { CommandFlag, LoadedConfig } from '../../config.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { type Command, everywhere, UsageError, unknownWord } from '../terminal/command.ts';
import { openLocalClient } from './local-client.ts';

/** A word after the command: the tool it calls, what of the tool's arguments it takes, and how the result reads. */
export interface ToolAction<Name extends ToolName = ToolName> {
  readonly tool: Name;
  /** The argument that is written without a flag. */
  readonly positional?: string;
  readonly optional?: true;
  /** What is printed only tells that it was done. */
  readonly changes?: true;
  readonly fields?: Readonly<Record<string, Field>>;
  show(value: ToolAnswer<Name>): string;
  /** The exit code, where the answer may be a bad one. */
  code?(value: ToolAnswer<Name>): number;
}

/** Declares an action whose `show` and `code` are typed by the tool's result. */
export function toolAction<const Name extends ToolName>(action: ToolAction<Name>): ToolAction {
  return action as unknown as ToolAction;
}

/** As much of a JSON Schema as a flag needs. */
export interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

export interface ToolCommandOptions {
  readonly name: string;
  readonly summary: string;
  readonly settings: readonly string[];
  /** What is done when no word is given comes first. */
  readonly actions: Readonly<Record<string, ToolAction>>;
}

/** A command whose words are tools and whose flags are their arguments. */
export function toolCommand({ name, summary, settings, actions }: ToolCommandOptions): Command {
  const words = Object.keys(actions);
  const flags: Record<string, CommandFlag> = {};
  for (const [field, { type, description = '', enum: values }] of Object.values(actions).flatMap(
    ({ fields = {} }) => Object.entries(fields),
  )) {
    flags[flagFor(field)] = {
      type: type === 'boolean' ? 'boolean' : 'string',
      ...(type === 'array' && { multiple: true }),
      description: `${wordsWith(field, actions)}: ${description}${values ? ` (${values.join(', ')})` : ''}.`,
      ...(values && { values }),
    };
  }
  const written = [...new Set(Object.values(actions).flatMap(({ positional }) => positional ?? []))];
  return {
    name,
    summary,
    usage: `${name} ${words.join('|')} [${written.map((one) => one.toUpperCase()).join('|')}] [FLAGS]`,
    words: Number.POSITIVE_INFINITY,
    flags,
    settings: ['home', 'config', ...settings],
    async run(loaded, terminal) {
      const [word = words[0]!, ...rest] = loaded.positionals;
      const action = Object.hasOwn(actions, word) ? actions[word]! : undefined;
      if (action === undefined) throw unknownWord(name, word, words);
      const args = argumentsOf(`${name} ${word}`, action, rest, loaded.flags);
      if (word === 'update' && Object.keys(args).length < 2)
        throw new UsageError(`${name} update: what is to change? adjutant ${name} --help names the flags`);
      await using door = await openLocalClient(loaded, terminal);
      // The flags were made from the tool's own schema; the engine validates their values.
      const given = args as ToolArguments<ToolName>;
      const { value } = await door.call(action.tool, given).catch((error: unknown) => {
        throw inFlags(withId(error, args), action);
      });
      terminal[action.changes ? 'report' : 'answer'](value, () => action.show(value));
      return action.code?.(value) ?? 0;
    },
  };
}

function flagFor(field: string): string {
  return field.replace(/_(ts|e164)$/, '').replaceAll('_', '-');
}

function wordsWith(field: string, actions: Readonly<Record<string, ToolAction>>): string {
  return Object.entries(actions)
    .filter(([, { fields = {} }]) => field in fields)
    .map(([word]) => word)
    .join(', ');
}

function argumentsOf(
  what: string,
  { positional, optional, fields = {} }: ToolAction,
  [id, ...more]: readonly string[],
  flags: LoadedConfig['flags'],
): JsonObject {
  if (positional !== undefined && id === undefined && !optional)
    throw new UsageError(`${what} needs a ${positional.replaceAll('_', ' ')}`);
  const extra = positional === undefined ? id : more[0];
  if (extra !== undefined) throw new UsageError(`${what} does not know what to do with "${extra}"`);
  const byFlag = new Map(
    Object.entries(fields).map(([field, schema]) => [flagFor(field), { field, schema }]),
  );
  const args: Record<string, JsonObject[string]> = {};
  if (positional !== undefined && id !== undefined) args[positional] = id;
  for (const [flag, raw] of Object.entries(flags)) {
    if (raw === undefined || flag in everywhere) continue;
    const known = byFlag.get(flag);
    if (known === undefined) throw new UsageError(`--${flag} is not for ${what}`);
    args[known.field] = typed(raw, known.schema, flag);
  }
  return args;
}

/** Adds the id that was not found and the command that lists the valid ones. */
export function withId(error: unknown, args: object): unknown {
  const missing = error instanceof Failure ? error.data?.['missing'] : undefined;
  const id = typeof missing === 'string' ? (args as JsonObject)[`${missing}_id`] : undefined;
  if (!(error instanceof Failure) || id === undefined) return error;
  const lister = `adjutant ${missing}s list`;
  return new Failure(error.kind, `${error.message}: ${id}; ${lister} shows the known ones`, { cause: error });
}

/** Names the flag instead of the tool's argument in what is invalid. */
function inFlags(error: unknown, { fields = {} }: ToolAction): unknown {
  if (!(error instanceof Failure) || error.issues.length === 0) return error;
  const issues = error.issues.map(({ path: [field = '', ...rest], message }) => {
    const name = Object.hasOwn(fields, field) ? `--${flagFor(String(field))}` : field;
    return `${[name, ...rest].join('.')} ${message}`;
  });
  return new UsageError(issues.join('; '), { cause: error });
}

/** What is wrong with a value is for the tool to say; here it only gets its type. */
function typed(raw: LoadedConfig['flags'][string] & {}, { type }: Field, flag: string): JsonObject[string] {
  if (type === 'integer' && /^-?\d+$/.test(String(raw))) return Number(raw);
  if (type !== 'object') return raw;
  try {
    return JSON.parse(String(raw));
  } catch {
    throw new UsageError(`--${flag} must be JSON, like '{"minutes": 30}'`);
  }
}

// ── How results read ───────────────────────────────────────────────────────────────────────────────────────

/** One thing, a line for each field. */
export function showFields(value: object): string {
  const width = Math.max(...Object.keys(value).map((key) => key.length));
  return Object.entries(value)
    .map(
      ([key, field]) => `${key.padEnd(width)}  ${typeof field === 'string' ? field : JSON.stringify(field)}`,
    )
    .join('\n');
}

/** A list in columns, or what to say when it is empty. */
export function showTable(rows: readonly (readonly unknown[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const texts = rows.map((row) => row.map((cell) => (cell === undefined ? '' : String(cell))));
  const widths = texts[0]!.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)));
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** An instant as the clock of a zone shows it, or that of this machine; and which one that is. */
export function showTime(written: unknown, zone?: unknown): string {
  const at = new Date(String(written));
  const place = typeof zone === 'string' ? { timeZone: zone } : {};
  const named = new Intl.DateTimeFormat('en', { ...place, timeZoneName: 'short' }).formatToParts(at);
  const clock = at.toLocaleString('sv-SE', { ...place, dateStyle: 'short', timeStyle: 'short' });
  return `${clock} ${named.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`.trimEnd();
}
