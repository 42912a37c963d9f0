import type { Change, Feature } from '../feature.ts';
import { Dismissals } from './dismissals.ts';
import { type InboxOptions, inboxTools } from './inbox-tools.ts';

/** What waits for a person, collected from all features. */
export function createInbox(options: InboxOptions): Feature {
  const dismissals = new Dismissals(options.records);
  return {
    name: 'inbox',
    tools: inboxTools(options, dismissals),
    subscribe: (listener: (change: Change) => void) =>
      dismissals.subscribe(() => listener({ kind: 'resources' })),
    close: () => options.records.close(),
  };
}
