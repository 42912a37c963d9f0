import type { ToolName } from '../../api.ts';
import type { Failure } from '../../failure.ts';
import { type Command, UsageError } from '../terminal/command.ts';

/** The command that does what a tool does. Tools without a command are missing. */
export const commandOfTool: Partial<Readonly<Record<ToolName, string>>> = {
  acknowledge_notification: 'notifications acknowledge',
  add_calendar: 'calendars add',
  answer_approval: 'runs approve',
  answer_invitation: 'events answer',
  apply_run: 'runs apply',
  cancel_notification: 'notifications cancel',
  cancel_run: 'runs cancel',
  check_health: 'doctor',
  clean_runs: 'runs clean',
  collect_run: 'runs watch',
  create_event: 'events create',
  create_prompt: 'prompts create',
  create_user: 'users create',
  delegate_autopilot: 'delegate --autopilot',
  delegate_compare: 'runs compare',
  delegate_resume: 'delegate --resume',
  delegate_run: 'delegate',
  delete_event: 'events delete',
  delete_prompt: 'prompts delete',
  delete_rule: 'users unrule',
  delete_user: 'users delete',
  expand_prompt: 'prompts render',
  export_prompts: 'prompts export',
  find_time: 'events find',
  fork_run: 'runs fork',
  get_event: 'events show',
  get_user: 'users show',
  import_calendar: 'calendars import',
  import_prompts: 'prompts import',
  label_prompt: 'prompts label',
  lint_prompts: 'prompts lint',
  list_activity: 'audit',
  list_agents: 'doctor',
  list_approvals: 'runs show',
  explain_notifications: 'notifications audit',
  list_calendars: 'calendars list',
  list_channels: 'notifications channels',
  list_events: 'events list',
  list_notifications: 'notifications list',
  list_outbox: 'notifications outbox',
  list_prompts: 'prompts list',
  list_rules: 'users rules',
  list_runs: 'runs list',
  list_users: 'users list',
  plan_notifications: 'notifications plan',
  prompt_history: 'prompts history',
  prompt_usage: 'prompts usage',
  remove_calendar: 'calendars remove',
  replay_notifications: 'notifications replay',
  restore_prompt: 'prompts restore',
  run_statistics: 'runs stats',
  search_prompts: 'prompts search',
  set_rule: 'users rule',
  show_prompt: 'prompts show',
  show_run: 'runs show',
  snooze_notification: 'notifications snooze',
  steer_run: 'runs steer',
  sync_calendar: 'calendars sync',
  tail_run: 'runs tail',
  test_notification: 'notifications test',
  test_prompts: 'prompts test',
  undo_run: 'runs undo',
  update_event: 'events update',
  update_prompt: 'prompts edit',
  update_user: 'users update',
};

const names = Object.keys(commandOfTool).join('|');
// A name in quotes or in a path is one that the user gave.
const mention = new RegExp(`(Call )?(?<!["'\`\\w./-])(${names})(?!["'\`\\w/-])(?: with run_id (\\S+))?`, 'g');

/**
 * Names commands instead of tools in a message of the server. The server writes for MCP clients, and does not know that this
 * one is a command line.
 */
export function inCommandWords(message: string): string {
  return message.replace(mention, (_, call: string | undefined, tool: ToolName, run: string | undefined) => {
    const command = `"adjutant ${commandOfTool[tool]}${run === undefined ? '' : ` ${run}`}"`;
    return call === undefined ? command : `Run ${command}`;
  });
}

/** The flag for an argument of a tool. */
export function flagFor(field: string): string {
  return field.replace(/_(ts|e164)$/, '').replaceAll('_', '-');
}

/** Explains a failed call of a tool: invalid arguments by the flags of the command, everything else by its commands. */
export function explainFailure(failure: Failure, flags: Command['flags'] = {}): Error {
  if (failure.issues.length === 0) return new Error(inCommandWords(failure.message), { cause: failure });
  const issues = failure.issues.map(({ path: [field = '', ...rest], message }) => {
    const flag = flagFor(String(field));
    return `${[Object.hasOwn(flags, flag) ? `--${flag}` : field, ...rest].join('.')} ${message}`;
  });
  return new UsageError(issues.join('; '), { cause: failure });
}
