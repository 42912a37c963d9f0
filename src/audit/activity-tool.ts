import type { Feature } from '../feature.ts';
import { pageArguments, pageOf } from '../paging.ts';
import { defineTool, hints } from '../tool.ts';
import type { AuditEntry, AuditFilter } from './audit-entry.ts';

export interface ActivitySource {
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>;
  /** The titles of events, by id. */
  titles(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Lets the owner read the security log. */
export function createActivity(audit: ActivitySource): Feature {
  return { name: 'audit', tools: activityTools(audit) };
}

const activityFields = {
  actor: { type: 'string', description: 'E.g. token ada' },
  action: { type: 'string', description: 'Tool or method' },
  outcome: { type: 'string', enum: ['started', 'done', 'failed', 'denied'], description: 'Outcome' },
  days_back: { type: 'integer', minimum: 0, maximum: 3650, default: 7, description: 'Days back' },
} as const;

const accepted = { type: 'object', properties: { ...activityFields, ...pageArguments } } as const;
/** Lists leave out what only the command line uses, because every character costs. */
const announced = {
  type: 'object',
  properties: { actor: activityFields.actor, outcome: activityFields.outcome, ...pageArguments },
} as const;

export function activityTools(audit: ActivitySource) {
  const text = { type: 'string' } as const;
  return [
    defineTool({
      name: 'list_activity',
      toolsets: ['admin'],
      scope: 'admin',
      title: 'List Activity',
      description: 'Lists changes and denied calls of all tools, newest first: when, who, what.',
      searchHint: 'audit log who changed denied security',
      phrases:
        'activity audit log who did what changed denied refused calls tokens access security history which client was not allowed blocked permission intruder suspicious lately yesterday by whom record of actions',
      inputSchema: announced as unknown as typeof accepted,
      acceptedSchema: accepted,
      outputSchema: {
        type: 'object',
        required: ['entries', 'count'],
        properties: {
          count: { type: 'integer' },
          next_cursor: text,
          entries: {
            type: 'array',
            items: {
              type: 'object',
              required: ['at', 'actor', 'action', 'outcome'],
              properties: {
                at: text,
                actor: text,
                oauth_client: text,
                client: text,
                address: text,
                action: text,
                target: text,
                title: { type: 'string', description: 'Of the event' },
                outcome: activityFields.outcome,
                reason: text,
                before: { type: 'object' },
                after: { type: 'object' },
                count: { type: 'integer', description: 'Equal denied calls' },
              },
            },
          },
        },
      },
      annotations: hints.reads,
      async call({ actor, action, outcome, days_back = 7, ...page }) {
        const found = await audit.list({ actor, action, outcome, daysBack: days_back });
        const { items, next } = pageOf(found, (entry) => entry, page);
        const titles = await audit.titles([...new Set(items.flatMap((entry) => eventOf(entry) ?? []))]);
        const entries = items.map((entry) => {
          const title = titles.get(eventOf(entry) ?? '');
          return { ...entry, ...(title !== undefined && { title }) };
        });
        return { structured: { entries, count: found.length, ...next } };
      },
    }),
  ];
}

/** The id of the event that a call was about. A caller may name an event by its title; the id then comes from the result. */
function eventOf({ action, target = '' }: AuditEntry): string | undefined {
  const result = action.endsWith('_event') ? /(?:^| )id=(\S+)/.exec(target) : null;
  return (result ?? /(?:^| )event_id=(\S+)/.exec(target))?.[1];
}
