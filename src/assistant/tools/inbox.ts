import { existsSync } from 'node:fs';
import { type Actor, maySeePerson } from '../../context.ts';
import type { InboxItem } from '../../inbox.ts';
import { present } from '../../json.ts';
import { singleLine } from '../../single-line.ts';
import type { User } from '../../store/schema.ts';
import { type MeOptions, personOfActor } from '../editing/me.ts';
import { listUsers } from '../editing/users.ts';
import { activeFor, conflictsOf, isUnanswered } from '../entities/agenda.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';
import { invitation as fromHere } from '../entities/occurrence.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';

const dayMs = 86_400_000;
/** How far ahead conflicts and invitations are listed, and how long overdue tasks and failed messages stay. */
const [conflictDays, invitationDays, taskDays, deliveryDays] = [7, 60, 30, 7];
/** How far ahead tasks are counted; list_events lists as many days. */
const upcomingDays = 7;
const maxTitle = 150;

/** What calendars and notifications wait for. Without a known `me`, it is that of everybody whom the actor may see. */
export async function waitingItems(
  data: AssistantData,
  me: MeOptions,
  actor: Actor,
): Promise<readonly InboxItem[]> {
  const items: InboxItem[] = [];
  for (const user of await peopleOf(data, me, actor)) items.push(...(await ofPerson(data, user)));
  return items;
}

/** The person whom the inbox is for, or everybody whom an unknown person may see. */
async function peopleOf(data: AssistantData, me: MeOptions, actor: Actor): Promise<readonly User[]> {
  const { store } = data;
  // Looking must not create the database.
  if (store.engine === 'sqlite' && !existsSync(store.place)) return [];
  const own = await personOfActor(data, me, actor);
  return own === undefined ? (await listUsers(data)).filter(({ id }) => maySeePerson(actor, id)) : [own];
}

/** How many open tasks are due in the coming days. A repeated task counts once. */
export async function upcomingTasks(
  data: AssistantData,
  me: MeOptions,
  actor: Actor,
): Promise<string | undefined> {
  const fromMs = data.clock();
  const window = { fromMs, toMs: fromMs + upcomingDays * dayMs };
  const tasks = new Set<string>();
  for (const user of await peopleOf(data, me, actor)) {
    const { listed } = await data.store.read((db) =>
      listOccurrences(data, db, window, user.id, ({ task }) => task !== null),
    );
    for (const { event } of activeFor(user, listed)) tasks.add(event.id);
  }
  if (tasks.size === 0) return undefined;
  const counted = tasks.size === 1 ? '1 open task is' : `${tasks.size} open tasks are`;
  return `${counted} due within seven days; list_events with tasks lists them.`;
}

function ofPerson(data: AssistantData, user: User): Promise<readonly InboxItem[]> {
  return data.store.read(async (db) => [
    ...(await datedItems(data, db, user)),
    ...(await overdueTasks(data, db, user)),
    ...(await failedMessages(data, db, user)),
    ...(await unreadableCalendars(db, user)),
  ]);
}

type Fields = Pick<InboxItem, 'id' | 'kind' | 'title' | 'detail'> & Pick<Partial<InboxItem>, 'actions'>;

function item(user: User, sinceMs: number, fields: Fields): InboxItem {
  return {
    since: timestamp(sinceMs),
    person: user.id,
    page: `/#/calendar/${user.id}`,
    actions: [],
    ...fields,
  };
}

/** Open invitations, with what they overlap, and the other conflicts of the coming days. */
async function datedItems(data: AssistantData, db: Reader, user: User): Promise<readonly InboxItem[]> {
  const fromMs = data.clock();
  const soon = await listOccurrences(
    data,
    db,
    { fromMs, toMs: fromMs + conflictDays * dayMs, reachMs: dayMs },
    user.id,
  );
  const later = await listOccurrences(
    data,
    db,
    { fromMs, toMs: fromMs + invitationDays * dayMs },
    user.id,
    ({ answers, series }) => `${answers}${series}`.includes('needs-action'),
  );
  const conflicts = conflictsOf(activeFor(user, soon.listed));
  const invitations = activeFor(user, later.listed).filter((one) => isUnanswered(user, one));
  const open = new Set(invitations.map(keyOf));
  const overlapping = (one: Listed) =>
    conflicts.flatMap(([first, second]) =>
      keyOf(first) === keyOf(one) ? [titleOf(second)] : keyOf(second) === keyOf(one) ? [titleOf(first)] : [],
    );
  // A series is answered as a whole.
  const series = [...Map.groupBy(invitations, ({ event }) => event.id).values()];
  return [
    ...series.map((dates) => invitation(user, dates[0]!, overlapping(dates[0]!), dates.length)),
    ...conflicts
      .filter((pair) => !pair.some((one) => open.has(keyOf(one))))
      .map(([one, other]) =>
        item(user, Math.max(one.event.created_ms, other.event.created_ms), {
          id: `conflict/${keyOf(one)}/${keyOf(other)}`,
          kind: 'conflict',
          title: `${titleOf(one)} and ${titleOf(other)} overlap`,
          detail: timesOf(user, other),
        }),
      ),
  ];
}

function invitation(user: User, one: Listed, overlaps: readonly string[], dates: number): InboxItem {
  const { event } = one;
  const organizer = nameOf(event.organizer);
  const answer = (label: string, given: string) => ({
    label,
    tool: 'answer_invitation',
    arguments: { event_id: event.id, answer: given },
  });
  const facts = [
    timesOf(user, one),
    ...(dates > 1 ? ['and later dates'] : []),
    ...(overlaps.length === 0 ? [] : [`overlaps ${overlaps.join(', ')}`]),
  ];
  return item(user, event.created_ms, {
    id: `invitation/${event.id}`,
    kind: 'invitation',
    title: `${organizer === undefined ? 'Invitation' : `${organizer} invites you`}: ${titleOf(one)}`,
    detail: facts.join(' · '),
    // Only a server that has the event, or the organizer on this one, can take an answer.
    actions:
      event.href === null && event.provider !== fromHere
        ? []
        : [answer('Accept', 'accepted'), answer('Maybe', 'tentative'), answer('Decline', 'declined')],
  });
}

/** Tasks whose time is over. A repeated task counts once, with its last date. */
async function overdueTasks(data: AssistantData, db: Reader, user: User): Promise<readonly InboxItem[]> {
  const toMs = data.clock();
  const { listed } = await listOccurrences(
    data,
    db,
    { fromMs: toMs - taskDays * dayMs, toMs },
    user.id,
    ({ task }) => task !== null,
  );
  const last = new Map(activeFor(user, listed).map((one) => [one.event.id, one]));
  return [...last.values()].map((one) => {
    const { event, occurrence } = one;
    const date = occurrence.key === '' ? undefined : occurrence.key;
    const done = { event_id: event.id, task: 'done', ...present({ occurrence: date }) };
    return item(user, occurrence.startMs, {
      id: `task/${keyOf(one)}`,
      kind: 'task',
      title: titleOf(one),
      detail: `Due ${timesOf(user, one)}`,
      actions: [{ label: 'Done', tool: 'update_event', arguments: done }],
    });
  });
}

/** Messages that reached the person on no channel, until the person confirms that. */
async function failedMessages(data: AssistantData, db: Reader, user: User): Promise<readonly InboxItem[]> {
  const rows = await db
    .selectFrom('notifications')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('updated_ms', '>', data.clock() - deliveryDays * dayMs)
    .where('status', 'in', ['failed', 'sent', 'delivered', 'planned', 'sending'])
    .orderBy('created_ms')
    .execute();
  const chains = Map.groupBy(rows, ({ id, parent_id }) => parent_id ?? id);
  return [...chains.values()].flatMap((chain) => {
    const last = chain.at(-1)!;
    const isOpen = chain.every(
      ({ status, acknowledged_ms }) => status === 'failed' && acknowledged_ms === null,
    );
    if (!isOpen) return [];
    const tried = [...new Set(chain.map(({ channel }) => channel))].join(', ');
    const seen = { notification_id: last.id };
    return [
      item(user, last.updated_ms, {
        id: `delivery/${last.id}`,
        kind: 'delivery',
        title: `Not sent: ${singleLine(parsePayload(last.payload).subject, maxTitle)}`,
        detail: `${tried}: ${singleLine(last.error ?? 'failed', 300)}`,
        actions: [{ label: 'Seen', tool: 'acknowledge_notification', arguments: seen }],
      }),
    ];
  });
}

async function unreadableCalendars(db: Reader, user: User): Promise<readonly InboxItem[]> {
  const calendars = await db
    .selectFrom('calendars')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('error', 'is not', null)
    .execute();
  return calendars.map(({ id, name, error, last_sync_ms, created_ms }) =>
    item(user, last_sync_ms ?? created_ms, {
      id: `calendar/${id}`,
      kind: 'calendar',
      title: `The calendar “${singleLine(name, maxTitle)}” cannot be read`,
      detail: singleLine(error!, 300),
      actions: [{ label: 'Try again', tool: 'sync_calendar', arguments: { calendar_id: id } }],
    }),
  );
}

function keyOf({ event, occurrence }: Listed): string {
  return occurrence.key === '' ? event.id : `${event.id}@${occurrence.key}`;
}

function titleOf({ occurrence }: Listed): string {
  return singleLine(occurrence.title, maxTitle) || 'An event';
}

/** The name in `Ben <ben@example.com>`, or else the address. */
function nameOf(organizer: string | null): string | undefined {
  if (organizer === null) return undefined;
  const [, name, address] = /^\s*"?([^"<]*?)"?\s*(?:<(?:mailto:)?([^>]*)>)?\s*$/i.exec(organizer) ?? [];
  return singleLine((name || address || organizer).replace(/^mailto:/i, ''), 80) || undefined;
}

function timesOf(user: User, { event, occurrence, zone }: Listed): string {
  const { startMs, endMs } = occurrence;
  const day = { weekday: 'short', day: 'numeric', month: 'short', timeZone: zone } as const;
  if (event.all_day === 1) return new Intl.DateTimeFormat('en-GB', day).format(startMs);
  const { locale } = preferencesOf(user);
  const hours = { hour: '2-digit', minute: '2-digit' } as const;
  const hour12 = new Intl.DateTimeFormat(locale, hours).resolvedOptions().hour12 ?? false;
  return new Intl.DateTimeFormat('en-GB', { ...day, ...hours, hour12 }).formatRange(startMs, endMs);
}
