/** The groups of tools that a server or a client can select. A tool can be in several groups. */
export const toolsets = {
  prompts: [
    'list_prompts',
    'search_prompts',
    'expand_prompt',
    'show_prompt',
    'export_prompts',
    'prompt_usage',
  ],
  prompt_editing: [
    'list_prompts',
    'show_prompt',
    'create_prompt',
    'update_prompt',
    'delete_prompt',
    'prompt_history',
    'restore_prompt',
    'list_deleted_prompts',
    'label_prompt',
    'test_prompts',
    'try_prompt',
    'keep_trial',
    'list_trials',
    'lint_prompts',
    'import_prompts',
  ],
  delegate: [
    'delegate_run',
    'delegate_resume',
    'delegate_autopilot',
    'delegate_compare',
    'fork_run',
    'show_run',
    'collect_run',
    'cancel_run',
  ],
  runs: [
    'list_runs',
    'show_run',
    'tail_run',
    'collect_run',
    'cancel_run',
    'steer_run',
    'interrupt_run',
    'list_approvals',
    'answer_approval',
    'apply_run',
    'undo_run',
    'clean_runs',
    'run_statistics',
    'list_agents',
  ],
  calendar: [
    'list_users',
    'list_events',
    'get_event',
    'create_event',
    'update_event',
    'delete_event',
    'answer_invitation',
    'find_time',
    'get_free_busy',
    'import_calendar',
    'add_calendar',
    'list_calendars',
    'sync_calendar',
    'remove_calendar',
    'undo_change',
  ],
  notifications: [
    'list_users',
    'list_notifications',
    'plan_notifications',
    'cancel_notification',
    'acknowledge_notification',
    'snooze_notification',
    'replay_notifications',
    'preview_messages',
    'test_notification',
    'list_outbox',
    'list_audit',
    'list_rules',
    'set_rule',
    'delete_rule',
  ],
  people: ['list_users', 'get_user', 'create_user', 'update_user', 'delete_user'],
  admin: [
    'server_status',
    'check_health',
    'list_activity',
    'create_token',
    'revoke_token',
    'load_demo',
    'remove_demo',
  ],
} as const;

type ToolsetName = keyof typeof toolsets;

/** `default` lists the core and reaches everything else through the discovery tools; `all` lists everything. */
export const toolsetNames = ['default', 'all', ...(Object.keys(toolsets) as ToolsetName[])] as const;

/** The tools that find and call the tools that are not listed. */
export const discoveryNames = ['search_tools', 'query_tool', 'call_tool'] as const;

/** Tools of the page only: a model that creates a token would put the secret into its conversation. */
export const pageTools: ReadonlySet<string> = new Set(['create_token', 'revoke_token']);

/** Tools that only the page and the views inside a chat can use with success, so models need not read about them. */
export const unlistedTools: ReadonlySet<string> = new Set([...pageTools, 'undo_change']);

/** What `default` lists besides the discovery tools. Tools of a feature without data are left out. */
export const core: ReadonlySet<string> = new Set([
  'list_prompts',
  'search_prompts',
  'expand_prompt',
  'delegate_run',
  'list_runs',
  'collect_run',
  'list_users',
  'list_events',
  'create_event',
  'list_notifications',
]);

/** The tools that the views inside a chat use. */
export const viewTools: ReadonlySet<string> = new Set([
  ...toolsets.calendar,
  ...toolsets.notifications,
  ...['create_user', 'update_user', 'delete_user', 'load_demo', 'remove_demo'],
  ...['list_runs', 'show_run', 'tail_run', 'cancel_run', 'steer_run', 'interrupt_run', 'answer_approval'],
  ...['delegate_resume', 'apply_run', 'undo_run', 'list_prompts', 'search_prompts', 'expand_prompt'],
]);

/**
 * Tools that clients with views list beside another tool: a client shows the view of a listed tool only, so its model could
 * not show the proposals of find_time otherwise.
 */
export const viewStarters: Readonly<Record<string, string>> = { find_time: 'list_events' };

export const toolNames: readonly string[] = [
  ...new Set<string>([...Object.values(toolsets).flat(), ...discoveryNames]),
];
