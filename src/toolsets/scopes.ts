import type { Actor, ActorToken, Rights } from '../context.ts';
import { nearest } from '../nearest.ts';

const readPrompts = [
  'list_prompts',
  'search_prompts',
  'expand_prompt',
  'show_prompt',
  'export_prompts',
  'prompt_history',
  'prompt_usage',
  'lint_prompts',
] as const;

const onePerson = [
  'list_users',
  'get_user',
  'update_user',
  'list_events',
  'get_event',
  'create_event',
  'update_event',
  'delete_event',
  'answer_invitation',
  'import_calendar',
  'add_calendar',
  'list_calendars',
  'sync_calendar',
  'remove_calendar',
  'undo_change',
  'list_notifications',
  'plan_notifications',
  'replay_notifications',
  'preview_messages',
  'cancel_notification',
  'acknowledge_notification',
  'snooze_notification',
  'test_notification',
  'list_audit',
  'list_rules',
  'set_rule',
  'delete_rule',
] as const;

const ownRuns = [
  'delegate_run',
  'delegate_resume',
  'delegate_autopilot',
  'delegate_compare',
  'fork_run',
  'list_runs',
  'show_run',
  'tail_run',
  'collect_run',
  'cancel_run',
  'steer_run',
  'interrupt_run',
  'run_statistics',
  'list_agents',
] as const;

/** The tools of each scope. `admin` has every tool, and so has the owner. */
export const scopeTools: Readonly<Record<string, readonly string[]>> = {
  read: readPrompts,
  'prompts:write': [
    ...readPrompts,
    'create_prompt',
    'update_prompt',
    'delete_prompt',
    'restore_prompt',
    'list_deleted_prompts',
    'label_prompt',
    'test_prompts',
    'try_prompt',
    'keep_trial',
    'list_trials',
    'import_prompts',
  ],
  'calendar:USER': onePerson,
  'calendar:*': [...onePerson, 'find_time', 'get_free_busy', 'create_user', 'delete_user', 'list_outbox'],
  'delegate:read-only': ownRuns,
  'delegate:workspace-write': [...ownRuns, 'apply_run', 'undo_run'],
};

export const scopeNames: readonly string[] = [...Object.keys(scopeTools), 'admin'];

const personPattern = /^calendar:([A-Za-z0-9][A-Za-z0-9._:@-]{0,127})$/;

/** The row of `scopeTools` for a scope, or `undefined` if there is no such scope. */
function kindOf(scope: string): string | undefined {
  if (scope === 'calendar:USER') return undefined;
  if (scopeNames.includes(scope)) return scope;
  return personPattern.test(scope) ? 'calendar:USER' : undefined;
}

export function isScope(scope: string): boolean {
  return kindOf(scope) !== undefined;
}

/** Says what is wrong with a scope, and which one might be meant. */
export function unknownScope(scope: string): string {
  if (scope === 'calendar:USER')
    return 'replace USER in calendar:USER by the id of a user; adjutant users list shows them';
  const meant = nearest(scope, scopeNames);
  return `unknown scope "${scope}"; ${meant ? `did you mean ${meant}?` : `known are ${scopeNames.join(', ')}`}`;
}

/** The actor with these scopes. `admin` gives it the rights of the owner. Unknown scopes give nothing. */
export function actorWith(
  name: string,
  given: readonly string[],
  token?: ActorToken,
  client?: string,
): Actor {
  const scopes = given.filter(isScope);
  return {
    name,
    ...(token !== undefined && { token }),
    ...(client !== undefined && { client }),
    ...(!scopes.includes('admin') && { rights: rightsOf(scopes) }),
  };
}

function rightsOf(scopes: readonly string[]): Rights {
  const people = scopes.flatMap((scope) =>
    scope === 'calendar:*' ? [] : (personPattern.exec(scope)?.[1] ?? []),
  );
  return {
    scopes,
    people: scopes.includes('calendar:*') ? 'all' : people,
    sandbox: scopes.includes('delegate:workspace-write') ? 'workspace-write' : 'read-only',
  };
}

/** True if one of the actor's scopes has the tool. The empty name stands for what belongs to no tool. */
export function isGranted({ rights }: Actor, tool: string): boolean {
  return rights === undefined || rights.scopes.some((scope) => scopeTools[kindOf(scope)!]?.includes(tool));
}

/** The narrowest scope that has the tool. */
export function scopeFor(tool: string): string {
  return Object.keys(scopeTools).find((scope) => scopeTools[scope]!.includes(tool)) ?? 'admin';
}
