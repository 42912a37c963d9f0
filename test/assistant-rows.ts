import { newId } from '../src/store/id.ts';
import type { NewEvent, NewNotification, NewUser } from '../src/store/schema.ts';
import type { Store } from '../src/store/store.ts';

/** A Monday at noon, UTC. */
export const noon = Date.UTC(2026, 2, 2, 12);
export const minute = 60_000;

/** A user with an email address and a phone number, without quiet hours. */
export function person(id: string, more: Partial<NewUser> = {}): NewUser {
  return {
    id,
    name: `Name of ${id}`,
    email: `${id}@example.com`,
    phone_e164: '+15550100',
    timezone: 'UTC',
    quiet_start: '00:00',
    quiet_end: '00:00',
    created_ms: noon,
    updated_ms: noon,
    ...more,
  };
}

export function meeting(id: string, userId: string, startMs: number, more: Partial<NewEvent> = {}): NewEvent {
  return {
    id,
    user_id: userId,
    provider: 'local',
    provider_event_id: id,
    title: `Meeting ${id}`,
    start_ms: startMs,
    end_ms: startMs + 30 * minute,
    first_ms: startMs,
    last_ms: startMs,
    status: 'confirmed',
    revision: 'r1',
    created_ms: noon,
    updated_ms: noon,
    ...more,
  };
}

export function reminder(
  event: NewEvent,
  atMs: number,
  more: Partial<NewNotification> = {},
): NewNotification {
  const id = more.id ?? newId(atMs);
  return {
    id,
    key: id,
    user_id: event.user_id,
    event_id: event.id,
    occurrence: '',
    event_start_ms: event.start_ms,
    revision: event.revision,
    slot: Math.round((atMs - event.start_ms) / minute),
    channel: 'email',
    urgency: 'normal',
    plan_ms: atMs,
    status: 'planned',
    payload: JSON.stringify({
      subject: `Soon: ${event.title}`,
      text: `${event.title} begins soon.`,
      html: '',
      script: `${event.title} begins soon.`,
    }),
    next_ms: atMs,
    attempts: 0,
    fence: 0,
    level: 0,
    created_ms: noon,
    updated_ms: noon,
    ...more,
  };
}

export interface AssistantRows {
  readonly users?: readonly NewUser[];
  readonly events?: readonly NewEvent[];
  readonly notifications?: readonly NewNotification[];
}

export function fill(
  store: Store,
  { users = [], events = [], notifications = [] }: AssistantRows,
): Promise<void> {
  return store.write(async ({ db, changed }) => {
    for (const part of chunks(users)) await db.insertInto('users').values(part).execute();
    for (const part of chunks(events)) await db.insertInto('events').values(part).execute();
    for (const part of chunks(notifications)) await db.insertInto('notifications').values(part).execute();
    for (const { id, user_id } of notifications.slice(0, 1))
      changed({ kind: 'notification', id, userId: user_id });
  });
}

function chunks<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / 500) }, (_, index) =>
    rows.slice(index * 500, index * 500 + 500),
  );
}
