import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import type { User } from '../store/schema.ts';
import { createStore, locate, type Store } from '../store/store.ts';
import { overdueNotifications } from './delivery/delivery-state.ts';
import { addressesOf, type ChannelConfig, findChannel, reachableBy } from './entities/channels.ts';
import type { Reader } from './entities/entity-access.ts';
import { channelsOf, preferencesOf } from './entities/preferences.ts';
import { timestamp } from './entities/view.ts';

export interface ProblemOptions {
  readonly channels: ChannelConfig;
  readonly nowMs: number;
}

/** People that a message names. */
const maxNamed = 5;
/** People that one check looks at. */
const maxPeople = 1000;

/** Problems with the database, its calendars, its people and their reminders. Does not create a SQLite database that does not exist yet. */
export async function findProblems(store: Store, options: ProblemOptions): Promise<readonly Problem[]> {
  if (store.engine === 'sqlite' && !existsSync(store.place)) return [];
  try {
    return await store.read(async (db) => {
      const reminders = [...(await overdueReminders(db, options)), ...(await unreachablePeople(db, options))];
      return [
        ...(await calendarProblems(db)),
        ...(await withoutZone(db, store)),
        ...reminders.map((problem) => ({ file: store.place, topic: 'Reminders', ...problem })),
      ];
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ file: store.place, severity: 'error', message: error.message }];
  }
}

type Found = Pick<Problem, 'severity' | 'message' | 'remedy'>;

async function calendarProblems(db: Reader): Promise<readonly Problem[]> {
  const calendars = await db
    .selectFrom('calendars')
    .select(['name', 'location', 'error'])
    .where('error', 'is not', null)
    .execute();
  return calendars.map(({ name, location, error }) => ({
    file: location,
    severity: 'warning',
    message: `Calendar "${name}" is not up to date: ${error}`,
  }));
}

/** Earlier versions stored no time zone unless one was given. */
async function withoutZone(db: Reader, { place }: Store): Promise<readonly Problem[]> {
  const users = await db
    .selectFrom('users')
    .select('id')
    .where('timezone', 'is', null)
    .orderBy('id')
    .execute();
  const [first] = users;
  if (first === undefined) return [];
  const named = users.slice(0, maxNamed).map(({ id }) => id);
  const people = users.length === 1 ? '1 person has' : `${users.length} people have`;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [
    {
      file: place,
      severity: 'warning',
      message: `${people} no time zone and ${users.length === 1 ? 'uses' : 'use'} UTC: ${named.join(', ')}${users.length > maxNamed ? ', …' : ''}`,
      remedy: `Set their time zone, e.g.: adjutant users update ${first.id} --timezone ${zone}`,
    },
  ];
}

async function overdueReminders(db: Reader, { nowMs }: ProblemOptions): Promise<readonly Found[]> {
  const { count, firstMs } = await overdueNotifications(db, nowMs);
  if (count === 0) return [];
  const what = count === 1 ? '1 reminder is' : `${count} reminders are`;
  return [
    {
      severity: 'error',
      message: `${what} overdue, since ${timestamp(firstMs)}: no worker delivers notifications`,
      remedy:
        'run adjutant worker, or adjutant service install worker to keep it running; a server on stdio only sends to the desktop of its machine',
    },
  ];
}

// ── Channels ─────────────────────────────────────────────────────────────────────────────────────────────────

/** People with coming events whose preferred channel cannot be used. Those with the same problem are reported together. */
async function unreachablePeople(db: Reader, options: ProblemOptions): Promise<readonly Found[]> {
  const people = await db
    .selectFrom('users')
    .selectAll()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('events')
          .select('events.id')
          .whereRef('events.user_id', '=', 'users.id')
          .where('events.last_ms', '>=', options.nowMs)
          .where('events.status', '!=', 'cancelled'),
      ),
    )
    .orderBy('id')
    .limit(maxPeople)
    .execute();
  const found = people.flatMap((user) =>
    channelTroubles(user, options).map((trouble) => ({ user, trouble })),
  );
  return [...Map.groupBy(found, ({ trouble }) => JSON.stringify(trouble)).values()].map((group) => {
    const { trouble, user } = group[0]!;
    return describe(
      trouble,
      group.map((one) => one.user.name),
      user,
      options,
    );
  });
}

type Trouble = { readonly severity: Problem['severity'] } & (
  | { readonly kind: 'no address' }
  | { readonly kind: 'no address for it' | 'no provider'; readonly channel: string }
);

function channelTroubles(user: User, { channels }: ProblemOptions): readonly Trouble[] {
  const reachable = reachableBy(user);
  const chosen = user.channel_pref !== null || user.channels !== null;
  if (reachable.length === 0) return [{ kind: 'no address', severity: chosen ? 'error' : 'warning' }];
  return channelsOf(preferencesOf(user).channelPref).flatMap((channel): readonly Trouble[] => {
    if (!reachable.includes(channel)) return [{ kind: 'no address for it', channel, severity: 'warning' }];
    const definition = findChannel(channel);
    if (!definition?.needs || definition.connect(channels, { privateHosts: [] }) !== undefined) return [];
    // Without any settings, mails in the outbox are what people expect.
    return [{ kind: 'no provider', channel, severity: channel === 'email' ? 'warning' : 'error' }];
  });
}

function describe(
  trouble: Trouble,
  names: readonly string[],
  { id }: User,
  { channels }: ProblemOptions,
): Found {
  const { severity } = trouble;
  const one = names.length === 1;
  const who = one ? names[0]! : `${names[0]} and ${names.length - 1} more`;
  const [has, prefers] = one ? ['has', 'prefers'] : ['have', 'prefer'];
  const update = `adjutant users update ${id}`;
  if (trouble.kind === 'no address')
    return {
      severity,
      message: `${who} ${has} no address on any channel, so no reminders are sent`,
      remedy: `add an address, for instance with ${update} --email ADDRESS`,
    };
  const { kind, channel } = trouble;
  if (kind === 'no address for it')
    return {
      severity,
      message: `${who} ${prefers} ${channel}, but ${has} no address for it, so reminders go to other channels`,
      remedy: `add the address with ${update}, or choose another channel with --channel-pref`,
    };
  const setting = findChannel(channel)!.needs;
  return {
    severity,
    message: `${who} ${prefers} ${channel}, but ${setting} is not set, so messages are only written to the outbox ${channels['delivery.outbox_dir']}`,
    remedy: `set ${setting}, or choose another channel with ${update} --channel-pref`,
  };
}

/** True if a user has an address of this channel in the list `channels`. */
export async function usesChannel(databaseUrl: string, name: string): Promise<boolean> {
  const { engine, target } = locate(databaseUrl);
  if (engine === 'sqlite' && !existsSync(target)) return false;
  const store = createStore(databaseUrl);
  try {
    const users = await store.read((db) =>
      db.selectFrom('users').select('channels').where('channels', 'is not', null).execute(),
    );
    return users.some(({ channels }) => addressesOf(channels).some(({ channel }) => channel === name));
  } catch {
    // Another check reports a database that cannot be read.
    return false;
  } finally {
    await store.close();
  }
}
