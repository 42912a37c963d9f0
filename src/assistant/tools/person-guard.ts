import { existsSync } from 'node:fs';
import { type Actor, type Context, maySeePerson } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import { log } from '../../log.ts';
import { locate, type Store } from '../../store/store.ts';
import type { Tool } from '../../tool.ts';
import { type AssistantData, type Reader, rowOf } from '../entities/entity-access.ts';
import { ruleView, userView } from '../entities/view.ts';
import { personArguments } from './person-names.ts';

/** The tables behind the arguments that name something of a person. */
const tables = {
  event_id: 'events',
  notification_id: 'notifications',
  calendar_id: 'calendars',
  rule_id: 'rules',
} as const;
type IdArgument = keyof typeof tables;

/** Tools without such an argument that look at the actor themselves, or show nobody. */
const selfGuarded = new Set(['list_users', 'undo_change', 'list_channels']);

/**
 * Limits a tool to the people that the caller may see. Things of other people are reported as not found, so that a caller
 * does not learn that they exist.
 */
export function guardPeople<One extends Tool>(tool: One, { store }: AssistantData): One {
  const properties = isObject(tool.inputSchema['properties'])
    ? Object.keys(tool.inputSchema['properties'])
    : [];
  const person = personArguments.find((name) => properties.includes(name));
  const isGuarded =
    selfGuarded.has(tool.name) || person !== undefined || properties.some((name) => name in tables);
  const call = async (given: never, context: Context) => {
    const people = context.actor.rights?.people ?? 'all';
    if (people === 'all') return tool.call(given, context);
    if (!isGuarded)
      throw new Denied('refused', `${tool.name} shows several people, and this token is for one only.`);
    const args = person === undefined ? given : withUser(given, person, people);
    await store.read((db) => demandOwn(db, args, context.actor));
    if (tool.name === 'update_user') await store.read((db) => refuseNewEmail(db, args));
    return tool.call(args as never, context);
  };
  return { ...tool, call };
}

/** A list without a user is a list of the caller's own person. */
function withUser(
  given: Readonly<Record<string, unknown>>,
  argument: string,
  people: readonly string[],
): typeof given {
  if (given[argument] !== undefined) return given;
  if (people.length === 1) return { ...given, [argument]: people[0] };
  throw new Failure('invalid-params', `user_id is required; this token is for ${people.join(', ')}.`);
}

async function demandOwn(db: Reader, args: Readonly<Record<string, unknown>>, actor: Actor): Promise<void> {
  for (const name of personArguments)
    if (args[name] !== undefined && !maySeePerson(actor, String(args[name]))) throw notFound('user');
  for (const argument of Object.keys(tables) as IdArgument[]) {
    if (args[argument] === undefined) continue;
    const row = await rowOf(db, tables[argument], String(args[argument]));
    // Unknown ids pass: the tool reports them, and lists of the audit trail still name what was deleted.
    if (row !== undefined && !maySeePerson(actor, row.user_id)) throw notFound(argument.replace('_id', ''));
  }
}

/** An address identifies one person, so accepting or refusing a new one would tell whether somebody else has it. */
async function refuseNewEmail(db: Reader, { user_id, email }: Readonly<Record<string, unknown>>) {
  if (email === undefined) return;
  const user = await rowOf(db, 'users', String(user_id));
  if (user !== undefined && user.email !== email)
    throw new Denied(
      'refused',
      'This token cannot change an email address, because addresses identify people. Ask the owner or a token with the scope calendar:*.',
    );
}

/** Hides that the entity exists: the failure is the one for an unknown id. */
function notFound(what: string): Denied {
  const name = `${what[0]!.toUpperCase()}${what.slice(1)}`;
  return new Denied('resource-not-found', `${name} not found`, { data: { missing: what } });
}

interface UserPresence {
  /** True once a user exists. A database that cannot be read counts as empty. */
  hasUsers(): Promise<boolean>;
  /** Reads again. Resolves to true if the result differs from the last one that was reported. */
  recheck(): Promise<boolean>;
}

export function createUserPresence(store: Store, databaseUrl: string): UserPresence {
  const { engine, target } = locate(databaseUrl);
  let known: boolean | undefined;
  const read = async () => {
    try {
      // Do not create the database only to find it empty.
      if (engine === 'sqlite' && !existsSync(target)) return false;
      const user = await store.read((db) => db.selectFrom('users').select('id').limit(1).executeTakeFirst());
      return user !== undefined;
    } catch (error) {
      log('warning', 'could not read whether the calendar has users', error);
      return false;
    }
  };
  return {
    async hasUsers() {
      const found = await read();
      known ??= found;
      return found;
    },
    async recheck() {
      if (known === undefined) return false;
      const before = known;
      known = await read();
      return known !== before;
    },
  };
}

/** The tools that change people and rules, and where to find what they change. */
const subjects: Readonly<Record<string, { readonly table: 'users' | 'rules'; readonly id?: string }>> = {
  create_user: { table: 'users' },
  update_user: { table: 'users', id: 'user_id' },
  delete_user: { table: 'users', id: 'user_id' },
  set_rule: { table: 'rules', id: 'rule_id' },
  delete_rule: { table: 'rules', id: 'rule_id' },
};

/** Adds the state before and after to the result of a tool that changes a person or a rule, for the security log. */
export function recordChange<One extends Tool>(tool: One, { store }: AssistantData): One {
  const subject = Object.hasOwn(subjects, tool.name) ? subjects[tool.name]! : undefined;
  if (subject === undefined) return tool;
  const { table, id: argument } = subject;
  const call = async (args: never, context: Context) => {
    const id = argument === undefined ? undefined : (args as Readonly<Record<string, unknown>>)[argument];
    const before = id === undefined ? undefined : await store.read((db) => find(db, table, String(id)));
    const result = await tool.call(args, context);
    const after = tool.name.startsWith('delete') ? undefined : result.structured;
    return { ...result, change: { before, after } };
  };
  return { ...tool, call };
}

async function find(db: Reader, table: 'users' | 'rules', id: string) {
  if (table === 'users') {
    const user = await rowOf(db, 'users', id);
    return user && userView(user);
  }
  const rule = await rowOf(db, 'rules', id);
  return rule && ruleView(rule);
}
