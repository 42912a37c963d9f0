import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { CommandFlag, LoadedConfig } from '../../config.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { type Command, commonFlags, UsageError, unknownSubcommand } from '../terminal/command.ts';
import { flagFor } from './command-words.ts';
import { openLocalClient } from './local-client.ts';

/** A subcommand: the tool it calls, the tool's arguments that it accepts, and how it prints the result. */
export interface ToolAction<Name extends ToolName = ToolName> {
  readonly tool: Name;
  /** The tool argument that is given without a flag. */
  readonly positional?: string;
  readonly optional?: true;
  /** The output only confirms a change, so --quiet omits it. */
  readonly changes?: true;
  readonly fields?: Readonly<Record<string, Field>>;
  /** Arguments of every call that no flag gives. */
  readonly defaults?: Partial<ToolArguments<Name>>;
  show(value: ToolAnswer<Name>): string;
  /** The exit code, if the result can report a failure. */
  code?(value: ToolAnswer<Name>): number;
}

/** Declares an action whose `show` and `code` are typed by the tool's result. */
export function toolAction<const Name extends ToolName>(action: ToolAction<Name>): ToolAction {
  return action as unknown as ToolAction;
}

/** The parts of a JSON Schema that a flag needs. */
export interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

export interface ToolCommandOptions {
  readonly name: string;
  readonly summary: string;
  readonly settings: readonly string[];
  /** Subcommands by name. The first one is the default. */
  readonly actions: Readonly<Record<string, ToolAction>>;
}

/** Creates a command whose subcommands are tools and whose flags are the tools' arguments. */
export function toolCommand({ name, summary, settings, actions }: ToolCommandOptions): Command {
  const words = Object.keys(actions);
  const flags: Record<string, CommandFlag> = {};
  for (const [field, { type, description = '', enum: values }] of Object.values(actions).flatMap(
    ({ fields = {} }) => Object.entries(fields),
  )) {
    flags[flagFor(field)] = {
      type: type === 'boolean' ? 'boolean' : 'string',
      ...(type === 'array' && { multiple: true }),
      description: `${actionsWith(field, actions)}: ${description}${values ? ` (${values.join(', ')})` : ''}.`,
      ...(values && { values }),
    };
  }
  const positionals = [...new Set(Object.values(actions).flatMap(({ positional }) => positional ?? []))];
  return {
    name,
    summary,
    usage: `${name} ${words.join('|')} [${positionals.map((one) => one.toUpperCase()).join('|')}] [FLAGS]`,
    maxWords: Number.POSITIVE_INFINITY,
    flags,
    settings: ['home', 'config', ...settings],
    async run(loaded, terminal) {
      const [word = words[0]!, ...rest] = loaded.positionals;
      const action = Object.hasOwn(actions, word) ? actions[word]! : undefined;
      if (action === undefined) throw unknownSubcommand(name, word, words);
      const args = parseArguments(`${name} ${word}`, action, rest, loaded.flags);
      if (word === 'update' && Object.keys(args).length < 2)
        throw new UsageError(
          `${name} update needs a flag for what to change; adjutant ${name} --help lists them`,
        );
      await using client = await openLocalClient(loaded, terminal);
      // The flags were made from the tool's own schema; the engine validates their values.
      const given = { ...action.defaults, ...args } as ToolArguments<ToolName>;
      const { value } = await client.call(action.tool, given).catch((error: unknown) => {
        throw withId(error, args);
      });
      terminal[action.changes ? 'report' : 'answer'](value, () => action.show(value));
      return action.code?.(value) ?? 0;
    },
  };
}

function actionsWith(field: string, actions: Readonly<Record<string, ToolAction>>): string {
  return Object.entries(actions)
    .filter(([, { fields = {} }]) => field in fields)
    .map(([word]) => word)
    .join(', ');
}

function parseArguments(
  subcommand: string,
  { positional, optional, fields = {} }: ToolAction,
  [id, ...more]: readonly string[],
  flags: LoadedConfig['flags'],
): JsonObject {
  if (positional !== undefined && id === undefined && !optional)
    throw new UsageError(`${subcommand} needs a ${positional.replaceAll('_', ' ')}`);
  const extra = positional === undefined ? id : more[0];
  if (extra !== undefined) throw new UsageError(`${subcommand} does not take "${extra}"`);
  const byFlag = new Map(
    Object.entries(fields).map(([field, schema]) => [flagFor(field), { field, schema }]),
  );
  const args: Record<string, JsonObject[string]> = {};
  if (positional !== undefined && id !== undefined) args[positional] = id;
  for (const [flag, raw] of Object.entries(flags)) {
    if (raw === undefined || flag in commonFlags) continue;
    const known = byFlag.get(flag);
    if (known === undefined) throw new UsageError(`--${flag} cannot be used with ${subcommand}`);
    args[known.field] = parseFlag(raw, known.schema, flag);
  }
  return args;
}

/** Adds the id that was not found and the command that lists the valid ones. */
export function withId(error: unknown, args: object): unknown {
  const missing = error instanceof Failure ? error.data?.['missing'] : undefined;
  const id = typeof missing === 'string' ? (args as JsonObject)[`${missing}_id`] : undefined;
  if (!(error instanceof Failure) || id === undefined) return error;
  const lister = `adjutant ${missing}s list`;
  return new Failure(error.kind, `${error.message}: ${id}; ${lister} shows the existing ones`, {
    cause: error,
  });
}

/** Converts a flag's text to the type of the argument. The tool validates the value. */
function parseFlag(
  raw: LoadedConfig['flags'][string] & {},
  { type }: Field,
  flag: string,
): JsonObject[string] {
  if (type === 'integer' && /^-?\d+$/.test(String(raw))) return Number(raw);
  if (type !== 'object') return raw;
  try {
    return JSON.parse(String(raw));
  } catch {
    throw new UsageError(`--${flag} must be JSON, like '{"minutes": 30}'`);
  }
}

// ── Printing results ───────────────────────────────────────────────────────────────────────────────────────

/** Prints one object, a line for each field. */
export function showFields(value: object): string {
  const width = Math.max(...Object.keys(value).map((key) => key.length));
  return Object.entries(value)
    .map(
      ([key, field]) => `${key.padEnd(width)}  ${typeof field === 'string' ? field : JSON.stringify(field)}`,
    )
    .join('\n');
}

/** Prints rows in columns, or a message if there are none. */
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

/** Formats a time in a time zone, by default that of this machine, with the zone's name. */
export function showTime(time: unknown, zone?: unknown): string {
  const at = new Date(String(time));
  const place = typeof zone === 'string' ? { timeZone: zone } : {};
  const named = new Intl.DateTimeFormat('en', { ...place, timeZoneName: 'short' }).formatToParts(at);
  const clock = at.toLocaleString('sv-SE', { ...place, dateStyle: 'short', timeStyle: 'short' });
  return `${clock} ${named.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`.trimEnd();
}
