import type { Context, Feature } from '../feature.ts';
import type { CalendarOptions } from './calendar/sync.ts';
import type { ChannelOptions } from './channels/channels.ts';
import type { Diary } from './entities/entity-access.ts';
import type { Occurrences } from './entities/occurrence.ts';
import type { StoredData } from './entities/stored-data.ts';
import type { DelegateTask } from './policy/delegate.ts';
import type { Model, PolicyName } from './policy/policy.ts';
import { followSoon } from './store/change-follower.ts';
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

export interface PolicyOptions {
  readonly name: PolicyName;
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
  readonly delegate?: DelegateTask | undefined;
}

/** Users, their calendars, and what to tell them when. */
export interface AssistantFeature extends Feature {
  /** Everything that is stored for a person, for the sample data to know what is its own. */
  storedData(userId: string): Promise<StoredData>;
}

export function createAssistant({
  databaseUrl,
  calendars,
  channels,
  policy,
  toolTimeoutMs,
  clock = Date.now,
}: AssistantOptions): AssistantFeature {
  const store = createStore(databaseUrl);
  const diary: Diary = { store, clock, occurrences };
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
      const stopFollowing = followSoon(store, databaseUrl);
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

export const occurrences: Occurrences = async (event, window, zone) =>
  (await import('./calendar/expand-event.ts')).expandEvent(event, window, zone);

/** Whoever decides, for a caller who may be a model itself; `undefined` leaves it to the rules. */
export async function modelFor(
  { name, url, model, key, timeoutMs, delegate }: PolicyOptions,
  context?: Context,
): Promise<Model | undefined> {
  switch (name) {
    case 'rules':
      return undefined;
    case 'endpoint':
      if (url === undefined || model === undefined)
        return absent(name, 'its address or its model is not configured');
      return (await import('./policy/endpoint.ts')).createEndpoint({ url, model, key, timeoutMs });
    case 'delegate':
      if (delegate === undefined) return absent(name, 'there are no sub-agents here');
      return (await import('./policy/delegate.ts')).createDelegateModel(delegate, timeoutMs);
    case 'client':
      // What another client's model has decided stands, also for a worker, which has no client.
      if (!context?.can('sampling'))
        return absent(name, 'this client does not let its model be asked', 'client');
      return (await import('./policy/client.ts')).createClientModel(context, timeoutMs);
  }
}

/** A policy that was wished for and is not there, so that a plan can say why the rules decided. */
function absent(name: Model['name'], trouble: string, identity = 'absent'): Model {
  return { name, identity, ask: async (questions) => questions.map(() => ({ trouble })) };
}
