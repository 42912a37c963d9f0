import { setTimeout as pause } from 'node:timers/promises';
import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { CommandFlag, Config, LoadedConfig } from '../../config.ts';
import type { JsonObject } from '../../json.ts';
import { log } from '../../log.ts';
import type { MemoryOptions } from '../../transports/memory.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export type Flags = Readonly<Record<string, CommandFlag>>;

/** A tool's result: as text for people and as a value for programs. */
export interface Answer<Name extends ToolName = ToolName> {
  readonly text: string;
  readonly value: ToolAnswer<Name>;
}

export interface LocalClient extends AsyncDisposable {
  /** Calls a tool and shows its progress on a terminal. Throws failures. */
  call<Name extends ToolName>(
    tool: Name,
    args: ToolArguments<Name>,
    options?: CallOptions,
  ): Promise<Answer<Name>>;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

interface CallOptions {
  /** Progress message until the tool reports its own. Default: the subcommand. */
  readonly doing?: string;
  /** Called on the first Ctrl-C, to cancel the work instead of abandoning it. */
  readonly onInterrupt?: () => void;
}

export interface ClientOptions extends Pick<MemoryOptions, 'onNotification'> {
  /** Answers the server's questions. Without it, the server asks none. */
  readonly onRequest?: MemoryOptions['onRequest'] | undefined;
  /** True for a command that starts a run. It also finishes the runs whose processes were killed. */
  readonly startsRuns?: boolean;
}

/** How an action was called. */
export interface Use {
  readonly loaded: LoadedConfig;
  readonly config: Config;
  readonly flags: LoadedConfig['flags'];
  /** The words after the command and the action. Their number is what `args` says. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  /** The client for calls of tools. It is opened once, and closed after the action. */
  connect(options?: ClientOptions): Promise<LocalClient>;
  /** True if `--` says that what follows is no command and no flag. */
  readonly isLiteral: boolean;
}

/** What a command can do, such as `prompts show`. Help, completion and the checks of a call are made from it. */
export interface Action {
  /** One line that starts with a verb. */
  readonly summary: string;
  /** The words it takes: `NAME`, `[NAME]` if it can be left out, `NAME…` for one or more. */
  readonly args?: string;
  /** What the words mean, where their names do not say it. */
  readonly notes?: Readonly<Record<string, string>>;
  readonly flags?: Flags;
  /** Settings that the help lists like flags. All others can be set as well. */
  readonly settings?: readonly string[];
  /**
   * What the action changes without a tool. The security log records it, except for the whole home, of which the log is a part.
   * `read_only` refuses it, except for the settings, one of which is `read_only`.
   */
  readonly changes?: 'files' | 'settings' | 'home';
  /** The action exits with code 0 even if the settings are invalid, because its caller would stop at any other code. */
  readonly neverFails?: boolean;
  /** Command lines, without the name of the program. */
  readonly examples: readonly string[];
  /** Resolves to the exit code. */
  run(use: Use): Promise<number>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Actions by their word, the default first. A command that does one thing has one, under the empty word. */
  readonly actions: Readonly<Record<string, Action>>;
}

/** A command that does one thing. */
export function single(name: string, action: Action): Command {
  return { name, summary: action.summary, actions: { '': action } };
}

type More = Pick<CommandFlag, 'short' | 'argument' | 'values'>;

/** Flags: with a value, with a whole number, with a path, with a value that can be repeated, and without a value. */
export const text = (value: string, description: string, more: More = {}): CommandFlag => ({
  ...{ type: 'string', value, description },
  ...more,
});
export const number = (value: string, description: string, more: More = {}): CommandFlag => ({
  ...{ type: 'string', value, description, format: 'number' },
  ...more,
});
export const several = (value: string, description: string, more: More = {}): CommandFlag => ({
  ...{ type: 'string', value, description, multiple: true },
  ...more,
});
export const path = (value: string, description: string, more: More = {}): CommandFlag => ({
  ...{ type: 'string', value, description, format: 'path' },
  ...more,
});
export const toggle = (description: string, more: More = {}): CommandFlag => ({
  ...{ type: 'boolean', description },
  ...more,
});

export const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export const applyModes = ['auto', 'ask', 'branch'] as const;

/** Flags of every action. */
export const commonFlags: Flags = {
  json: toggle('Print JSON'),
  quiet: toggle('Print only results and errors', { short: 'q' }),
  set: several('KEY=VALUE', 'Use another setting for this command; adjutant config list shows them'),
};

export { UsageError };

export function textFlag(flags: LoadedConfig['flags'], name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function listFlag(flags: LoadedConfig['flags'], name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** The whole number that a flag gives. `undefined` if it is not given. */
export function numberFlag(flags: LoadedConfig['flags'], name: string): number | undefined {
  const raw = flags[name];
  if (raw === undefined) return undefined;
  const value = Number(raw);
  if (!Number.isInteger(value) || value < 0)
    throw new UsageError(`--${name} must be a whole number, not "${raw}"`);
  return value;
}

/** Resolves on SIGINT or SIGTERM. */
export function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** Some service managers kill a process that needs ten seconds to stop. */
const maxStopMs = 8_000;

/** Waits for the last work of a process, but not for long after it was stopped. Resolves to the exit code. */
export async function finish(work: Promise<unknown>, stop: Promise<void>): Promise<number> {
  const late = stop.then(() => pause(maxStopMs, 'late'));
  if ((await Promise.race([work, late])) !== 'late') return 0;
  log('warning', 'exiting although some work is not finished; other processes will take it over');
  return 1;
}
