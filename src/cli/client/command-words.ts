import type { ToolName } from '../../api.ts';
import type { CommandFlag } from '../../config.ts';
import type { Failure } from '../../failure.ts';
import { toolNames } from '../../toolsets/toolsets.ts';
import { type Flags, UsageError } from '../terminal/command.ts';

/** Tools whose command cannot be told from their names. */
const named: Partial<Readonly<Record<ToolName, string>>> = {
  answer_approval: 'runs approve',
  answer_invitation: 'events answer',
  check_health: 'doctor',
  choose_me: 'users me',
  collect_run: 'runs watch',
  delegate_autopilot: 'delegate --autopilot',
  delegate_compare: 'runs compare',
  delegate_resume: 'delegate --resume',
  delegate_run: 'delegate',
  delete_rule: 'users unrule',
  expand_prompt: 'prompts render',
  find_time: 'events find',
  get_event: 'events show',
  get_user: 'users show',
  list_activity: 'audit',
  list_agents: 'agents',
  server_status: 'status',
  list_approvals: 'runs show',
  dismiss_inbox: 'inbox dismiss',
  list_inbox: 'inbox list',
  list_channels: 'notifications channels',
  list_outbox: 'notifications outbox',
  list_rules: 'users rules',
  load_demo: 'demo load',
  prompt_history: 'prompts history',
  prompt_usage: 'prompts usage',
  remind: 'remind',
  send_message: 'send',
  remove_demo: 'demo remove',
  run_statistics: 'runs stats',
  set_rule: 'users rule',
  update_prompt: 'prompts edit',
};

/** Tools that only the page has. */
const withoutCommand: readonly string[] = ['organize_prompt', 'try_prompt'] satisfies ToolName[];

/** The command that does what a tool does: `cancel_run` is `runs cancel`. Tools without a command are missing. */
export const commandOfTool: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    toolNames.flatMap((tool) => {
      const [, verb, noun] =
        /^([a-z]+)_(calendar|event|notification|prompt|routine|run|token|user)s?$/.exec(tool) ?? [];
      return noun === undefined || withoutCommand.includes(tool) ? [] : [[tool, `${noun}s ${verb}`]];
    }),
  ),
  ...named,
};

const names = Object.keys(commandOfTool).join('|');
// A name in quotes or in a path is one that the user gave.
const mention = new RegExp(`(Call )?(?<!["'\`\\w./-])(${names})(?!["'\`\\w/-])(?: with run_id (\\S+))?`, 'g');

/**
 * Names commands instead of tools in a message of the server. The server writes for MCP clients, and does not know that this
 * one is a command line.
 */
export function inCommandWords(message: string): string {
  return message
    .replace(mention, (_, call: string | undefined, tool: string, run: string | undefined) => {
      const command = `"adjutant ${commandOfTool[tool]}${run === undefined ? '' : ` ${run}`}"`;
      return call === undefined ? command : `Run ${command}`;
    })
    .replace(/ in user_id(?=[,.])/, '');
}

/** The argument of a tool that a flag gives. */
export function argumentOf(flag: string, { argument }: CommandFlag): string {
  return argument ?? flag.replaceAll('-', '_');
}

/** Explains a failed call of a tool: invalid arguments by the flags of the command, everything else by its commands. */
export function explainFailure(failure: Failure, flags: Flags = {}): Error {
  if (failure.issues.length === 0) {
    const isUnknown = /^Prompt not found: \S+$/.test(failure.message);
    const advice = isUnknown ? '\n  "adjutant prompts list" shows all prompts.' : '';
    return new Error(`${inCommandWords(failure.message)}${advice}`, { cause: failure });
  }
  const flagOf = new Map(
    Object.entries(flags).map(([flag, known]) => [argumentOf(flag, known), `--${flag}`]),
  );
  const issues = failure.issues.map(({ path: [field = '', ...rest], message }) =>
    // A message that begins with what was written needs no name of the flag.
    message.startsWith('"')
      ? message
      : [[flagOf.get(String(field)) ?? String(field).replaceAll('_', ' '), ...rest].join('.'), message].join(
          ' ',
        ),
  );
  return new UsageError(issues.join('; '), { cause: failure });
}
