import { join } from 'node:path';
import type { Records } from '../../records.ts';
import type { ValuesOf } from '../../setting.ts';
import type { AgentName } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import type { Limits } from '../run/follower.ts';
import { type AutopilotSettings, autopilotOptions } from './autopilot-settings.ts';
import type { delegateSettings } from './settings.ts';

/** What the feature is created with. */
export interface DelegateOptions {
  /** Only the tools that the published document knows, and each call answered at the end of its run. */
  readonly document: boolean;
  readonly agent: AgentName;
  readonly command: string | undefined;
  readonly codexHome: string;
  readonly userHome: string;
  /** The working directory of the server. */
  readonly startedIn: string;
  readonly runsDir: string;
  readonly queueFile: string;
  /** Where processes that work on one repository keep out of each other's way. */
  readonly locksDir: string;
  /** The environment of every program that is started. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables whose secret values are kept out of records, also those that programs are not given. */
  readonly knownVariables?: Readonly<Record<string, string | undefined>>;
  readonly maxParallel: number;
  readonly limits: Limits;
  readonly reasoningEffort: string | undefined;
  readonly ceiling: Sandbox;
  readonly dangerFolders: readonly string[];
  readonly writeFolders: readonly string[];
  readonly ownEntry: { readonly names: readonly string[]; readonly port: number };
  readonly autopilot: AutopilotSettings;
  readonly onDisconnect: 'cancel' | 'finish';
  /** After so long a call answers with the run's id; 0 to wait for its end. */
  readonly answerWithinMs: number;
  /** Where several machines tell each other of their runs. */
  readonly records?: Records;
  /** A prompt of the library filled with a text; `undefined` when there is none of that name. */
  expandPrompt?(name: string, input: string): Promise<string | undefined>;
}

type Values = ValuesOf<typeof delegateSettings> & {
  readonly home: string | undefined;
  readonly 'http.port': number;
};

/** What the feature needs, from the settings as they are in force. */
export function delegateOptions(
  values: Values,
  env: DelegateOptions['env'],
  document: boolean,
): DelegateOptions {
  const codexHome = values['delegate.codex_home'];
  const seconds = (name: 'start' | 'idle' | 'total') => values[`delegate.${name}_timeout_seconds`] * 1000;
  return {
    document,
    agent: values['delegate.agent'],
    command: values['delegate.command'],
    codexHome,
    userHome: env['HOME'] ?? env['USERPROFILE'] ?? '',
    runsDir:
      values['delegate.runs_dir'] ??
      (values.home === undefined ? join(codexHome, 'delegator', 'runs') : join(values.home, 'runs')),
    queueFile: join(values['delegate.state_dir'], 'runs.sqlite'),
    locksDir: join(values['delegate.state_dir'], 'locks'),
    env,
    startedIn: process.cwd(),
    maxParallel: values['delegate.max_parallel'],
    limits: { start: seconds('start'), idle: seconds('idle'), total: seconds('total'), grace: 3_000 },
    reasoningEffort: values['delegate.reasoning_effort'],
    ceiling: values['delegate.sandbox_ceiling'],
    dangerFolders: values['delegate.danger_folders'],
    writeFolders: values['delegate.write_folders'],
    ownEntry: { names: values['delegate.own_entries'], port: values['http.port'] },
    onDisconnect: values['delegate.on_disconnect'],
    autopilot: autopilotOptions(values),
    answerWithinMs: document ? 0 : values['delegate.answer_within_seconds'] * 1000,
  };
}
