import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { CommandFlag } from '../../config.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { type Action, type Flags, UsageError, type Use } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { argumentOf } from './command-words.ts';
import { type LocalClient, openLocalClient } from './local-client.ts';

interface ToolActionOptions<Name extends ToolName> extends Omit<Action, 'run'> {
  readonly tool: Name;
  /** The tool arguments that the words give, in their order. */
  readonly words?: readonly string[];
  /** The output only confirms a change, so --quiet omits it. */
  readonly changes?: true;
  /** A call without a flag would change nothing. */
  readonly needsFlag?: true;
  /** Arguments of every call that no flag gives. */
  readonly defaults?: Partial<ToolArguments<Name>>;
  /** Asks before the call, if it deletes more than one thing. */
  confirm?(client: LocalClient, args: JsonObject, terminal: Terminal): Promise<boolean>;
  show(value: ToolAnswer<Name>, terminal: Terminal): string;
  /** The exit code, if the result can report a failure. */
  code?(value: ToolAnswer<Name>): number;
}

/** An action that calls one tool with its words and flags. */
export function toolAction<const Name extends ToolName>(options: ToolActionOptions<Name>): Action {
  const { tool, words: named = [], changes, needsFlag, defaults, confirm, show, code, ...action } = options;
  return {
    ...action,
    async run({ loaded, flags, words, terminal }) {
      const given = toolArguments(flags, action.flags);
      if (needsFlag && Object.keys(given).length === 0)
        throw new UsageError('say what to change with a flag; --help lists the flags');
      const args: JsonObject = {
        ...Object.fromEntries(words.map((word, index) => [named[index]!, word])),
        ...given,
      };
      await using client = await openLocalClient(loaded, terminal);
      // The engine validates the values.
      const call = async () =>
        confirm === undefined || (await confirm(client, args, terminal))
          ? client.call(tool, { ...defaults, ...args } as ToolArguments<Name>)
          : undefined;
      const answer = await call().catch((error: unknown) => {
        throw withId(error, args);
      });
      if (answer === undefined) return 1;
      const { value } = answer;
      terminal[changes ? 'report' : 'answer'](value, () => show(value, terminal));
      return code?.(value) ?? 0;
    },
  };
}

/** The flags of a call as arguments of a tool. */
export function toolArguments(flags: Use['flags'], known: Flags = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([flag, raw]) => {
      const described = Object.hasOwn(known, flag) ? known[flag]! : undefined;
      if (raw === undefined || described === undefined || flag === 'yes') return [];
      return [[argumentOf(flag, described), convert(raw, described, flag)]];
    }),
  );
}

/** Adds the id that was not found and the command that lists the valid ones. */
export function withId(error: unknown, args: object): unknown {
  const missing = error instanceof Failure ? error.data?.['missing'] : undefined;
  const id = typeof missing === 'string' ? (args as JsonObject)[`${missing}_id`] : undefined;
  if (!(error instanceof Failure) || id === undefined || !error.message.endsWith('not found')) return error;
  const lister = `adjutant ${missing}s list`;
  return new Failure(error.kind, `${error.message}: ${id}; ${lister} shows the existing ones`, {
    cause: error,
  });
}

/** Converts a flag's text to the type of the argument. The tool validates the value. */
function convert(raw: Use['flags'][string] & {}, { format }: CommandFlag, flag: string): JsonObject[string] {
  if (format === 'number' && /^-?\d+$/.test(String(raw))) return Number(raw);
  if (format !== 'json') return raw;
  try {
    return JSON.parse(String(raw));
  } catch {
    throw new UsageError(`--${flag} must be JSON, like '{"minutes": 30}'`);
  }
}

/** Prints one object, a line for each field, in words instead of field names. */
export function showFields(value: object): string {
  const fields = Object.entries(value).map(([key, field]) => [
    key.replace(/_(ts|e164|ms|json)$/, '').replaceAll('_', ' '),
    typeof field === 'string' ? field : JSON.stringify(field),
  ]);
  const width = Math.max(...fields.map(([label]) => label!.length));
  return fields.map(([label, field]) => `${label!.padEnd(width)}  ${field}`).join('\n');
}

/** Formats a time in a time zone, by default that of this machine, with the zone's name. */
export function showTime(time: unknown, zone?: unknown): string {
  const at = new Date(String(time));
  const place = typeof zone === 'string' ? { timeZone: zone } : {};
  const named = new Intl.DateTimeFormat('en', { ...place, timeZoneName: 'short' }).formatToParts(at);
  const clock = at.toLocaleString('sv-SE', { ...place, dateStyle: 'short', timeStyle: 'short' });
  return `${clock} ${named.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`.trimEnd();
}
