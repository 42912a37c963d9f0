import type { Actor, Context } from '../context.ts';
import type { ExpandOwn, Feature } from '../feature.ts';
import type { Outreach } from '../outreach.ts';
import { followChangesSoon } from '../store/change-follower.ts';
import { type Clock, createStore } from '../store/store.ts';
import { expandEvent } from './calendar/expand-event.ts';
import type { CalendarOptions } from './calendar/sync.ts';
import type { MeOptions } from './editing/me.ts';
import type { ChannelConfig } from './entities/channels.ts';
import { type AssistantData, findUser, type StoredData } from './entities/entity-access.ts';
import type { matchingEvents } from './entities/matching-events.ts';
import { preferencesOf } from './entities/preferences.ts';
import { modelFor, type PolicyOptions } from './policy/policy-model.ts';
import { findTimeTool } from './tools/availability-tools.ts';
import { calendarTools } from './tools/calendar-tools.ts';
import { channelTool, testTool } from './tools/channel-tools.ts';
import { acceptTitles } from './tools/event-names.ts';
import { eventTools } from './tools/event-tools.ts';
import { explainTool } from './tools/explain-tool.ts';
import { invitationTool } from './tools/invitation-tool.ts';
import { withLocalTimes } from './tools/local-times.ts';
import { meTool } from './tools/me-tool.ts';
import { messageTool } from './tools/message-tool.ts';
import { notificationTools } from './tools/notification-tools.ts';
import { outboxTool } from './tools/outbox-tool.ts';
import { createUserPresence, guardPeople, recordChange } from './tools/person-guard.ts';
import { acceptNames, requirePerson } from './tools/person-names.ts';
import { previewTool } from './tools/preview-tool.ts';
import { createPrompts } from './tools/prompts.ts';
import { remindTool } from './tools/remind-tool.ts';
import { replayTool } from './tools/replay-tool.ts';
import { createResources, resourceChanges } from './tools/resources.ts';
import { shareTools } from './tools/share-tools.ts';
import { createUndo } from './tools/undo-tool.ts';
import { userTools } from './tools/user-tools.ts';

export interface AssistantOptions {
  readonly databaseUrl: string;
  readonly calendars: CalendarOptions;
  readonly channels: ChannelConfig;
  readonly policy: PolicyOptions;
  /** Time limit for one tool call. */
  readonly toolTimeoutMs: number;
  /** Lists everything in one result, without pages. */
  readonly unpaged?: boolean;
  /** Who `me` is. Without it, calls name the person. */
  readonly me?: MeOptions;
  /** Plans the reminders of an event when it is written. Otherwise the worker does. */
  readonly plansOnWrite?: boolean;
  /** The address at which people reach the server. */
  readonly publicUrl?: string | undefined;
  /** The local address of a running server. */
  readonly localUrl?: (() => Promise<string | undefined>) | undefined;
  /** Expands texts of events that name a prompt. */
  readonly expand?: ExpandOwn | undefined;
  readonly clock?: Clock;
}

export interface AssistantFeature extends Feature {
  /** Everything stored for a user. The sample data uses it to recognize its own rows. */
  storedData(userId: string): Promise<StoredData>;
  readonly outreach: Outreach;
  /** What others need to know about a person: id, time zone and language. Throws a failure if there is no such person. */
  person(written: string, actor: Actor, creates: boolean): Promise<PersonFacts>;
  /** Finds occurrences of events for work around them. */
  findEvents(match: Matching[1], range: Matching[2], actor: Actor): ReturnType<typeof matchingEvents>;
}

interface PersonFacts {
  readonly id: string;
  readonly timezone: string;
  readonly locale: string;
}
type Matching = Parameters<typeof matchingEvents>;

/** People, their calendars, and the notifications planned for them. */
export function createAssistant({
  databaseUrl,
  calendars,
  channels,
  policy,
  toolTimeoutMs,
  unpaged = false,
  me = { id: 'none', file: '' },
  plansOnWrite = false,
  publicUrl,
  localUrl,
  expand,
  clock = Date.now,
}: AssistantOptions): AssistantFeature {
  const store = createStore(databaseUrl);
  const data: AssistantData = { store, clock, occurrences: expandEvent, expand };
  const policyCalls = {
    model: (context: Context, name = policy.name) => modelFor({ ...policy, name, expand }, context),
    asksModel: policy.name !== 'rules',
    // A model is asked at most twice, and each request may take twice the model's time limit.
    timeoutMs: toolTimeoutMs + (policy.name === 'rules' ? 0 : 4 * policy.timeoutMs),
  };
  const presence = createUserPresence(store, databaseUrl);
  const planning = { data, channels, policy: policyCalls, me };
  const undo = createUndo(data, me, plansOnWrite ? planning : undefined);
  const outreach: Outreach = {
    send: async (message) => (await reach()).send(message),
    withdraw: async (key) => (await reach()).withdraw(key),
    findPerson: async (...args) => (await reach()).findPerson(...args),
    canReach: async (personId) => (await reach()).canReach(personId),
  };
  async function reach() {
    return (await import('./delivery/outreach.ts')).createOutreach(data, channels, me);
  }
  const tools = [
    ...userTools(data, toolTimeoutMs, plansOnWrite ? channels : undefined),
    ...eventTools(data, calendars, outreach, toolTimeoutMs, unpaged, plansOnWrite ? planning : undefined),
    remindTool(planning, toolTimeoutMs),
    meTool(data, me),
    ...calendarTools(data, calendars),
    ...shareTools(data, publicUrl, localUrl),
    findTimeTool(data, calendars, toolTimeoutMs),
    invitationTool(data, calendars, outreach),
    ...notificationTools(data, policyCalls, toolTimeoutMs, unpaged),
    replayTool(data, policyCalls),
    previewTool(data, toolTimeoutMs, plansOnWrite ? me : undefined),
    explainTool(data, toolTimeoutMs),
    messageTool(data, me, outreach, toolTimeoutMs),
    testTool(data, channels, toolTimeoutMs),
    channelTool(data, channels),
    outboxTool(channels['delivery.outbox_dir']),
    undo.tool,
  ];
  return {
    name: 'assistant',
    // The document of the contract assistant defines every field of a result.
    tools: tools
      .map((tool) => (unpaged ? tool : withLocalTimes(tool, data)))
      .map((tool) => guardPeople(recordChange(undo.undoable(tool), data), data))
      .map((tool) => (unpaged ? requirePerson(tool) : acceptNames(acceptTitles(tool, data, me), data, me)))
      .map((tool) => (tool.annotations?.openWorldHint ? tool : { ...tool, changes: 'database' as const })),
    http: {
      accepts: (path) => /^\/feeds\/[A-Za-z0-9_-]{43}\.ics$/.test(path),
      serve: async (path, request, response) =>
        (await import('./calendar/feed.ts')).serveFeed(data, path, request, response),
    },
    inUse: () => presence.hasUsers(),
    inbox: {
      tool: 'list_events',
      list: async ({ actor }) => (await import('./tools/inbox.ts')).waitingItems(data, me, actor),
      upcoming: async ({ actor }) => (await import('./tools/inbox.ts')).upcomingTasks(data, me, actor),
    },
    resources: createResources(data),
    prompts: createPrompts(unpaged),
    subscribe: (listener) => {
      const unsubscribe = store.subscribe((changes) => {
        for (const change of resourceChanges(changes)) listener(change);
        if (changes.some(({ kind }) => kind === 'user'))
          void presence.recheck().then((changed) => changed && listener({ kind: 'use' }));
      });
      const stopFollowing = followChangesSoon(store, databaseUrl);
      return () => {
        unsubscribe();
        void stopFollowing();
      };
    },
    outreach,
    async person(written, actor, creates) {
      const { personId } = await import('./editing/me.ts');
      const id = await personId(data, me, written, actor, creates);
      const user = await store.read((db) => findUser(db, id));
      const { timezone, locale } = preferencesOf(user);
      return { id, timezone, locale };
    },
    async findEvents(match, range, actor) {
      const { personOfActor } = await import('./editing/me.ts');
      // Whoever names a calendar means its events. Otherwise, "every meeting" means those of the person who says it.
      const only = match.calendar === undefined ? await personOfActor(data, me, actor) : undefined;
      return (await import('./entities/matching-events.ts')).matchingEvents(
        data,
        match,
        range,
        actor,
        only?.id,
      );
    },
    storedData: async (userId) => (await import('./entities/entity-access.ts')).storedData(store, userId),
    problems: async () => (await import('./problems.ts')).findProblems(store, { channels, nowMs: clock() }),
    metrics: async () => (await import('./metrics.ts')).notificationMetrics(store, clock()),
    close: () => store.close(),
  };
}
