import { type Actor, type Context, maySeePerson } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import type { Tool } from '../../tool.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';

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
  const takesUser = properties.includes('user_id');
  const isGuarded = selfGuarded.has(tool.name) || takesUser || properties.some((name) => name in tables);
  const call = async (given: never, context: Context) => {
    const people = context.actor.rights?.people ?? 'all';
    if (people === 'all') return tool.call(given, context);
    if (!isGuarded)
      throw new Denied('refused', `${tool.name} shows several people, and this token is for one only.`);
    const args = takesUser ? withUser(given, people) : given;
    await store.read((db) => demandOwn(db, args, context.actor));
    try {
      return await tool.call(args as never, context);
    } catch (error) {
      // The message names the other person.
      if (tool.name === 'update_user' && error instanceof Failure && error.kind === 'conflict')
        throw new Failure('conflict', 'Another person uses this email address.');
      throw error;
    }
  };
  return { ...tool, call };
}

/** A list without a user is a list of the caller's own person. */
function withUser(given: Readonly<Record<string, unknown>>, people: readonly string[]): typeof given {
  if (given['user_id'] !== undefined) return given;
  if (people.length === 1) return { ...given, user_id: people[0] };
  throw new Failure('invalid-params', `user_id is required; this token is for ${people.join(', ')}.`);
}

async function demandOwn(db: Reader, args: Readonly<Record<string, unknown>>, actor: Actor): Promise<void> {
  const userId = args['user_id'];
  if (userId !== undefined && !maySeePerson(actor, String(userId))) throw notFound('user');
  for (const argument of Object.keys(tables) as IdArgument[]) {
    if (args[argument] === undefined) continue;
    const row = await db
      .selectFrom(tables[argument])
      .select('user_id')
      .where('id', '=', String(args[argument]))
      .executeTakeFirst();
    // Unknown ids pass: the tool reports them, and lists of the audit trail still name what was deleted.
    if (row !== undefined && !maySeePerson(actor, row.user_id)) throw notFound(argument.replace('_id', ''));
  }
}

/** Hides that the entity exists: the failure is the one for an unknown id. */
function notFound(what: string): Denied {
  const name = `${what[0]!.toUpperCase()}${what.slice(1)}`;
  return new Denied('resource-not-found', `${name} not found`, { data: { missing: what } });
}
