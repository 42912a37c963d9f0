import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { initialize, Program } from '../program.ts';

const reads = { readOnlyHint: true, openWorldHint: false };
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const sets = { ...adds, idempotentHint: true };
const replaces = { ...sets, destructiveHint: true };

/**
 * Clients act on annotations: codex with the approval policy `never` refuses a tool unless it is read-only, or neither
 * destructive nor open-world.
 */
const groups: readonly (readonly [reason: string, annotations: JsonObject, tools: string])[] = [
  [
    'only reads',
    reads,
    `list_prompts expand_prompt search_prompts show_prompt prompt_history prompt_usage lint_prompts export_prompts
     list_deleted_prompts list_trials check_health list_runs show_run diff_run tail_run collect_run list_approvals run_statistics list_agents server_status list_activity get_user list_users list_rules get_event list_events
     list_calendars export_calendar find_time list_inbox list_notifications replay_notifications preview_messages explain_notifications list_channels list_outbox list_routines`,
  ],
  [
    'adds something new with every call',
    adds,
    'create_prompt create_user create_event remind snooze_notification',
  ],
  [
    'loses nothing that a person has entered: planned reminders can be planned again, and a cancelled run keeps its files',
    sets,
    'test_prompts choose_me dismiss_inbox organize_prompt plan_notifications acknowledge_notification cancel_run load_demo',
  ],
  [
    'overwrites or removes what a person has entered',
    replaces,
    `update_prompt delete_prompt restore_prompt label_prompt update_user delete_user delete_rule update_event delete_event
     remove_calendar cancel_notification update_routine delete_routine clean_runs apply_run undo_run remove_demo`,
  ],
  [
    'may replace an entry, or add another one with every call',
    { ...replaces, idempotentHint: false },
    'set_rule import_prompts share_calendar',
  ],
  [
    'fetches from an address that the caller names',
    { ...sets, openWorldHint: true },
    'import_calendar add_calendar sync_calendar',
  ],
  [
    "replaces the user's answer and lets the server notify the organizer",
    { ...replaces, openWorldHint: true },
    'answer_invitation',
  ],
  [
    'sends a message or a prompt, or will do so',
    { ...adds, openWorldHint: true },
    'test_notification send_message try_prompt create_routine',
  ],
  [
    'ends the work of an agent, starts it, or lets it leave its sandbox',
    { ...adds, destructiveHint: true, openWorldHint: true },
    'steer_run answer_approval run_routine',
  ],
  [
    'starts an agent that can change files and use the network',
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    'delegate_run delegate_resume delegate_autopilot delegate_compare fork_run',
  ],
];

async function annotationsWith(...flags: readonly string[]): Promise<Record<string, unknown>> {
  await using program = new Program(['serve', '--toolsets', 'all', ...flags]);
  program.send(initialize());
  const { result } = await program.request('tools/list');
  const tools = (result as JsonObject)['tools'] as unknown as { name: string; annotations: unknown }[];
  return Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
}

it('every tool has the annotations of its group', async () => {
  const expected = Object.fromEntries(
    groups.flatMap(([, annotations, tools]) => tools.split(/\s+/).map((name) => [name, annotations])),
  );
  expect(await annotationsWith()).toEqual(expected);
});

it('planning is open-world only if a model decides', async () => {
  const { plan_notifications } = await annotationsWith('--assistant-policy', 'client');
  expect(plan_notifications).toEqual({ ...sets, openWorldHint: true });
});
