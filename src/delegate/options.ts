import { join } from 'node:path';
import type { ValuesOf } from '../setting.ts';
import { autopilotOptions } from './autopilot/autopilot-settings.ts';
import type { DelegateOptions } from './delegate.ts';
import type { delegateSettings } from './settings.ts';

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
    ledgerFile: join(values['delegate.state_dir'], 'runs.sqlite'),
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
