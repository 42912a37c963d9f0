// Requests other than tools/call that do what a tool does. Each is allowed only if that tool is.

interface Way {
  readonly tool: string;
  readonly writes?: true;
}

/** Methods that features add to the protocol. */
export const methodWays: Readonly<Record<string, Way>> = {
  'prompts/create': { tool: 'create_prompt', writes: true },
  'prompts/update': { tool: 'update_prompt', writes: true },
  'prompts/delete': { tool: 'delete_prompt', writes: true },
  'tasks/get': { tool: 'collect_run' },
  'tasks/update': { tool: 'delegate_run', writes: true },
  'tasks/cancel': { tool: 'cancel_run', writes: true },
  'skills/list': { tool: 'list_prompts' },
  'skills/get': { tool: 'show_prompt' },
  'resources/directory/read': { tool: 'show_prompt' },
};

/** Protocol extensions, each with the method that it needs. */
export const extensionMethods: Readonly<Record<string, string>> = {
  'adjutant/prompt-management': 'prompts/create',
  'io.modelcontextprotocol/tasks': 'tasks/get',
  'io.modelcontextprotocol/skills': 'skills/list',
};

/** Listing and rendering the prompts of a feature. */
export const promptWays: Readonly<Record<string, { readonly list: string; readonly get: string }>> = {
  prompts: { list: 'list_prompts', get: 'expand_prompt' },
  assistant: { list: 'list_notifications', get: 'list_notifications' },
};

/** Reading resources, and listing or completing their URIs. The first pattern that matches counts. */
export const resourceWays: readonly {
  readonly pattern: RegExp;
  readonly read: string;
  readonly list: string;
}[] = [
  { pattern: /^runs:\/\//, read: 'show_run', list: 'list_runs' },
  { pattern: /^ui:\/\/adjutant\/run$/, read: 'show_run', list: 'show_run' },
  { pattern: /^ui:\/\/adjutant\/prompts$/, read: 'list_prompts', list: 'list_prompts' },
  { pattern: /^ui:\/\/adjutant\/calendar$/, read: 'list_events', list: 'list_events' },
  { pattern: /^skill:\/\//, read: 'show_prompt', list: 'list_prompts' },
  { pattern: /^resources:\/\/users\/[^/]*\/events$/, read: 'list_events', list: 'list_users' },
  {
    pattern: /^resources:\/\/users\/[^/]*\/notifications$/,
    read: 'list_notifications',
    list: 'list_users',
  },
  { pattern: /^resources:\/\/users\//, read: 'get_user', list: 'list_users' },
  { pattern: /^resources:\/\/events\//, read: 'get_event', list: 'list_events' },
];
