import { resolve } from 'node:path';
import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { CommandFlag } from '../../config.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { shortTime } from '../../recurrence/written-time.ts';
import {
  type Action,
  type Flags,
  type LocalClient,
  numberFlag,
  UsageError,
  type Use,
} from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { fitted } from '../terminal/wrap.ts';
import { argumentOf, inCommandWords } from './command-words.ts';

interface ToolActionOptions<Name extends ToolName> extends Omit<Action, 'run' | 'changes'> {
  readonly tool: Name;
  /** The tool arguments that the words give, in their order. The last takes the rest: `text…` as a text, `paths[]` as a list. */
  readonly words?: readonly string[];
  /** The output only confirms a change, so --quiet omits it. */
  readonly changes?: true;
  /** A call without a flag would change nothing. */
  readonly needsFlag?: true;
  /** Arguments of every call that no flag gives. */
  readonly defaults?: Partial<ToolArguments<Name>>;
  /** The arguments of the tool, made from those that the words and flags give. Throws if they are not enough. */
  prepare?(args: JsonObject): JsonObject;
  /** Asks before the call, if it deletes more than one thing. */
  confirm?(client: LocalClient, args: JsonObject, terminal: Terminal): Promise<boolean>;
  /** What people see. Default: the text of the tool. */
  show?(
    value: ToolAnswer<Name>,
    terminal: Terminal,
    more: { readonly text: string; readonly args: JsonObject },
  ): string;
  /** The exit code, if the result can report a failure. */
  code?(value: ToolAnswer<Name>, args: JsonObject): number;
}

/** An action that calls one tool with its words and flags. */
export function toolAction<const Name extends ToolName>(options: ToolActionOptions<Name>): Action {
  const {
    tool,
    words: named = [],
    changes,
    needsFlag,
    defaults,
    prepare,
    confirm,
    show,
    code,
    ...action
  } = options;
  return {
    ...action,
    async run({ connect, flags, words, terminal }) {
      const given = toolArguments(flags, action.flags);
      if (needsFlag && Object.keys(given).length === 0)
        throw new UsageError('say what to change with a flag; --help lists the flags');
      const all: JsonObject = { ...wordArguments(named, words), ...given };
      const written = prepare?.(all) ?? all;
      const client = await connect();
      const { run_id } = written;
      const args = typeof run_id === 'string' ? { ...written, run_id: await runId(client, run_id) } : written;
      // The engine validates the values.
      const call = async () =>
        confirm === undefined || (await confirm(client, args, terminal))
          ? client.call(tool, { ...defaults, ...args } as ToolArguments<Name>)
          : undefined;
      const answer = await call().catch((error: unknown) => {
        throw withId(error, args);
      });
      if (answer === undefined) return 1;
      const { value, text } = answer;
      terminal[changes ? 'report' : 'answer'](value, () => show?.(value, terminal, { text, args }) ?? text);
      return code?.(value, args) ?? 0;
    },
  };
}

function wordArguments(named: readonly string[], words: readonly string[]): JsonObject {
  return Object.fromEntries(
    named.flatMap((name, index) => {
      const rest = words.slice(index);
      if (rest.length === 0) return [];
      if (name.endsWith('…')) return [[name.slice(0, -1), rest.join(' ')]];
      return [name.endsWith('[]') ? [name.slice(0, -2), rest] : [name, rest[0]!]];
    }),
  );
}

/** The id of a run that is named by its id or as the last one. A job of an autopilot is `RUN_ID/JOB`. */
export async function runId(client: LocalClient, id: string): Promise<string> {
  const [run, ...job] = id.split('/');
  if (run !== 'last') return id;
  const { value } = await client.call('list_runs', { limit: 1 });
  const [newest] = value.runs;
  if (newest === undefined)
    throw new UsageError('there are no runs yet\n  Start one: adjutant delegate "explain this project"');
  return [newest.run_id, ...job].join('/');
}

/** The flags of a call as arguments of a tool. */
export function toolArguments(flags: Use['flags'], known: Flags = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([flag, raw]) => {
      const described = Object.hasOwn(known, flag) ? known[flag]! : undefined;
      if (raw === undefined || described === undefined || flag === 'yes') return [];
      // Another action of the command may take the flag several times.
      const value = Array.isArray(raw) && described.multiple !== true ? raw[0]! : raw;
      return [[argumentOf(flag, described), convert(value, described, flag)]];
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
  if (format === 'number') return numberFlag({ [flag]: raw }, flag)!;
  if (format === 'path') return resolve(String(raw));
  if (format !== 'json') return raw;
  try {
    return JSON.parse(String(raw));
  } catch {
    throw new UsageError(`--${flag} must be JSON, like '{"minutes": 30}'`);
  }
}

/** Prints one object, a line for each field, in words instead of field names. Local times take the place of instants. */
export function showFields(value: object, terminal: Terminal): string {
  return fitted([...fieldLines(value), ...remindersText(value)].join('\n'), terminal);
}

function fieldLines(value: object): readonly string[] {
  const { warnings: _, planned: __, ...rest } = value as Planned & Readonly<Record<string, unknown>>;
  const fields = Object.entries(rest)
    .filter(([key]) => !(key.endsWith('_ts') && key.replace(/_ts$/, '_local') in rest))
    .map(([key, field]) => [
      key.replace(/_(ts|local|e164|ms|json)$/, '').replaceAll('_', ' '),
      typeof field === 'string' ? field : isTexts(field) ? field.join(', ') : JSON.stringify(field),
    ]);
  const width = Math.max(...fields.map(([label]) => label!.length));
  return fields.map(([label, field]) => `${label!.padEnd(width)}  ${field}`);
}

const isTexts = (field: unknown): field is readonly string[] =>
  Array.isArray(field) && field.every((one) => typeof one === 'string');

/** What a write has planned, and why it may not arrive. */
export interface Planned {
  readonly planned?:
    | readonly {
        readonly plan_time: string;
        readonly plan_local?: string;
        readonly channel: string;
        readonly change?: string | undefined;
      }[]
    | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/** How a reminder comes: `on this desktop`, `by email`. */
export function channelsText(planned: Planned['planned'] = []): string {
  const ways = planned.map(({ channel }) => (channel === 'desktop' ? 'on this desktop' : `by ${channel}`));
  return [...new Set(ways)].join(', ');
}

/** The reminders that are planned, if there are any, and the warnings, each on a line. */
function remindersText({ planned = [], warnings = [] }: Planned): readonly string[] {
  const reminders = planned.filter(({ change }) => change === undefined);
  const times = reminders
    .map(({ plan_time, plan_local }) => showTime(plan_time, zoneIn(plan_local)))
    .join(', ');
  return [
    ...(times === '' ? [] : [`  Reminder: ${times}, ${channelsText(reminders)}`]),
    ...warningLines(warnings),
  ];
}

export const warningLines = (warnings: readonly string[] = []) =>
  warnings.map((warning) => `! ${inCommandWords(warning)}`);

type SavedEvent = ToolAnswer<'update_event'> & { readonly start_local?: string };

/** What the first line of a saved event says, and what only programs need. */
const saidFirst =
  /^(?:title|start_\w+|end_\w+|all_day|timezone|user_id|provider|provider_event_id|recurring)$/;

/** An event after a change: when it is, its other fields, its reminders and the warnings. */
export function savedText(event: SavedEvent, terminal: Terminal): string {
  const zone = zoneIn(event.start_local) ?? event.timezone;
  const time = (at: string) => showTime(at, zone, event.all_day);
  const [start, end] = [time(event.start_ts), time(event.end_ts)];
  const [day, until] = [start.slice(0, -6), end.startsWith(start.slice(0, -6)) ? end.slice(-5) : end];
  const when = event.all_day ? start : day === '' || end === start ? start : `${start} to ${until}`;
  const others = Object.entries(event).filter(
    ([key, field]) => !saidFirst.test(key) && !(key === 'status' && field === 'confirmed'),
  );
  const rest = fieldLines(Object.fromEntries(others)).map((line) => `  ${line}`);
  const place = zone === undefined || event.all_day ? '' : ` (${zone})`;
  return fitted([`✓ ${event.title}: ${when}${place}`, ...rest, ...remindersText(event)].join('\n'), terminal);
}

/** The time zone in a local time that an answer has beside an instant. */
export function zoneIn(local: string | undefined): string | undefined {
  return / \d\d:\d\d (\S+?)(?:,|$)/.exec(local ?? '')?.[1];
}

/** Formats a time in a time zone, by default that of this machine, with the day in words. */
export function showTime(time: unknown, zone?: unknown, allDay = false): string {
  const place = typeof zone === 'string' ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone;
  return shortTime(Date.parse(String(time)), place, Date.now(), allDay);
}
