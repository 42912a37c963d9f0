import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { replaceFile } from '../../atomic-file.ts';
import { type Actor, isOwner, maySeePerson } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { nearest } from '../../nearest.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { User } from '../../store/schema.ts';
import { type AssistantData, rowOf } from '../entities/entity-access.ts';
import { createUser, listUsers } from './users.ts';

// Who "me" is. It is an alias of this installation, not an id in the database:
//
//   the person of a token ▶ the setting `assistant.me` ▶ the file that `users me` writes ▶ a person with the id `me`
//   ▶ in a local database, the only person, or a new one for the user of this machine, who is then remembered
//
// Otherwise nobody is meant, and the failure says how to choose.

export interface MeOptions {
  /** The setting: an id, or `none` if calls must name the person. */
  readonly id?: string | undefined;
  /** Holds the id that `users me` chose. */
  readonly file: string;
}

const me = 'me';

/** The id of the person whom the caller means by an id, a name, a mail address or `me`. `creates` permits a new person. */
export async function personId(
  data: AssistantData,
  options: MeOptions,
  written: string,
  actor: Actor,
  creates: boolean,
): Promise<string> {
  if (written === me) return (await findMe(data, options, actor, creates)).id;
  const own = await data.store.read((db) => rowOf(db, 'users', written));
  if (own !== undefined && maySeePerson(actor, own.id)) return own.id;
  const visible = (await listUsers(data)).filter(({ id }) => maySeePerson(actor, id));
  const wanted = written.trim().toLowerCase();
  const matches = (test: (user: User) => boolean) => visible.filter(test);
  const [found, other] = [
    matches(({ name, email }) => [name, email].some((value) => value?.toLowerCase() === wanted)),
    matches(({ name }) => name.toLowerCase().split(/\s+/)[0] === wanted),
  ].find(({ length }) => length > 0) ?? [undefined];
  if (other !== undefined)
    throw new Failure(
      'invalid-params',
      `Several people are called "${written}": ${found!.id} and ${other.id}. Use an id.`,
    );
  if (found !== undefined) return found.id;
  const names = visible.flatMap(({ id, name }) => [id, name]);
  const meant = nearest(written, names);
  // A person whom the caller may not see is reported like one who does not exist.
  const Kind = isOwner(actor) ? Failure : Denied;
  throw new Kind(
    'resource-not-found',
    `User not found: nobody is called "${written}".${meant === undefined ? '' : ` Did you mean ${meant}?`} list_users shows who is known.`,
    { data: { missing: 'user' } },
  );
}

/** The person who uses this actor, or `undefined` if nobody is meant. Creates no database and no person. */
export async function personOfActor(
  { store, ...data }: AssistantData,
  options: MeOptions,
  actor: Actor,
): Promise<User | undefined> {
  if (store.engine === 'sqlite' && !existsSync(store.place)) return undefined;
  return findMe({ store, ...data }, options, actor, false).catch((error: unknown) => {
    if (error instanceof Failure && error.kind !== 'unavailable') return undefined;
    throw error;
  });
}

async function findMe(
  data: AssistantData,
  options: MeOptions,
  actor: Actor,
  creates: boolean,
): Promise<User> {
  const people = actor.rights?.people ?? 'all';
  const find = (id: string | undefined) =>
    id === undefined || id === '' ? undefined : data.store.read((db) => rowOf(db, 'users', id));
  if (people !== 'all') {
    const [own, another] = people;
    const user = another === undefined ? await find(own) : undefined;
    if (user !== undefined) return user;
    throw new Failure('invalid-params', `user_id is required; this token is for ${people.join(', ')}.`);
  }
  const chosen =
    options.id === 'none'
      ? undefined
      : ((await find(options.id)) ?? (await find(await readChoice(options.file))) ?? (await find(me)));
  if (chosen !== undefined && isOwner(actor)) return chosen;
  const users = await listUsers(data);
  const isLocal = data.store.engine === 'sqlite' && options.id !== 'none' && isOwner(actor);
  if (isLocal && users.length === 1) return users[0]!;
  if (isLocal && users.length === 0 && creates) return createMe(data, options);
  if (users.length === 0)
    throw new Failure(
      'resource-not-found',
      'User not found: nobody is known yet. Add a person with create_user.',
    );
  const isUnique = (name: string) => users.filter((one) => one.name === name).length === 1;
  const known = users.slice(0, 10).map(({ id, name }) => (isUnique(name) ? name : id));
  throw new Failure(
    'invalid-params',
    `It is not known who "me" is. Name one of ${known.join(', ')} in user_id, or choose once: adjutant users me ${JSON.stringify(known[0])}`,
  );
}

async function readChoice(file: string): Promise<string | undefined> {
  const text = await readRegularFile(file).catch(() => '');
  return text.trim() || undefined;
}

/** Remembers who "me" is on this machine. */
export async function chooseMe(options: MeOptions, id: string): Promise<void> {
  replaceFile(options.file, `${id}\n`);
}

/** The person who uses this machine, reached on its desktop until another address is set. Stays `me` when others are added. */
async function createMe(data: AssistantData, options: MeOptions): Promise<User> {
  const { username } = userInfo();
  const { locale } = Intl.DateTimeFormat().resolvedOptions();
  const id = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(username) && username !== me ? username : undefined;
  const name = `${username.slice(0, 1).toUpperCase()}${username.slice(1)}` || 'Me';
  const fields = { name, ...(id !== undefined && { id }), locale, channels: ['desktop:here'] };
  try {
    const user = await createUser(data, fields);
    await chooseMe(options, user.id).catch((error: unknown) =>
      log('warning', `could not remember in ${options.file} who "me" is`, error),
    );
    return user;
  } catch (error) {
    // Another process has created the same person in the meantime.
    const [only] = await listUsers(data);
    if (only === undefined) throw error;
    return only;
  }
}
