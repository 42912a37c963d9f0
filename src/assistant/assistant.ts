import type { Context } from '../context.ts';
import type { Feature } from '../feature.ts';
import { occurrences } from './calendar/occurrences.ts';
import type { CalendarOptions } from './calendar/sync.ts';
import type { ChannelOptions } from './channels/channels.ts';
import type { AssistantData } from './entities/entity-access.ts';
import type { StoredData } from './entities/stored-data.ts';
import { modelFor, type PolicyOptions } from './policy/policy-model.ts';
import { followChangesSoon } from './store/change-follower.ts';
import { type Clock, createStore } from './store/store.ts';
import { auditTools } from './tools/audit-tools.ts';
import { calendarTools } from './tools/calendar-tools.ts';
import { eventTools } from './tools/event-tools.ts';
import { notificationTools } from './tools/notification-tools.ts';
import { outboxTool } from './tools/outbox-tool.ts';
import { prompts } from './tools/prompts.ts';
import { createResources, resourceChanges } from './tools/resources.ts';
import { testTool } from './tools/test-tool.ts';
import { userTools } from './tools/user-tools.ts';

export interface AssistantOptions {
  readonly databaseUrl: string;
  readonly calendars: CalendarOptions;
  readonly channels: ChannelOptions;
  readonly policy: PolicyOptions;
  /** The longest time one call may take. */
  readonly toolTimeoutMs: number;
  readonly clock?: Clock;
}

export interface AssistantFeature extends Feature {
  /** Everything that is stored for a person, for the sample data to know what is its own. */
  storedData(userId: string): Promise<StoredData>;
}

/** People, their calendars, and the notifications planned for them. */
export function createAssistant({
  databaseUrl,
  calendars,
  channels,
  policy,
  toolTimeoutMs,
  clock = Date.now,
}: AssistantOptions): AssistantFeature {
  const store = createStore(databaseUrl);
  const diary: AssistantData = { store, clock, occurrences };
  const planner = {
    model: (context: Context) => modelFor(policy, context),
    // A model is asked twice at most; what is left is for the diary.
    timeoutMs: toolTimeoutMs + (policy.name === 'rules' ? 0 : 4 * policy.timeoutMs),
  };
  return {
    name: 'assistant',
    tools: [
      ...userTools(diary, toolTimeoutMs),
      ...eventTools(diary, toolTimeoutMs),
      ...calendarTools(diary, calendars),
      ...notificationTools(diary, planner, toolTimeoutMs),
      ...auditTools(diary, toolTimeoutMs),
      testTool(diary, channels, toolTimeoutMs),
      outboxTool(channels.outboxDir),
    ],
    resources: createResources(diary),
    prompts,
    subscribe: (listener) => {
      const unsubscribe = store.subscribe((changes) => {
        for (const change of resourceChanges(changes)) listener(change);
      });
      const stopFollowing = followChangesSoon(store, databaseUrl);
      return () => {
        unsubscribe();
        void stopFollowing();
      };
    },
    storedData: async (userId) => (await import('./entities/stored-data.ts')).storedData(store, userId),
    problems: async () => (await import('./problems.ts')).findProblems(store),
    close: () => store.close(),
  };
}
