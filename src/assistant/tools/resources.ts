import { type Actor, maySeePerson } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import type { Change, ResourceProvider } from '../../feature.ts';
import { wholeList } from '../../paging.ts';
import type { StoreChange } from '../../store/store.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import { eventDetailView, profileView } from '../entities/view.ts';
import { eventList } from './event-list.ts';
import { placeEvent } from './event-tools.ts';
import { notificationList } from './notification-tools.ts';

const mimeType = 'application/json';
const templates = [
  ['users/{user_id}', 'User Profile', 'User profile data by user ID'],
  ['events/{event_id}', 'Event Details', 'Event details by event ID'],
  ['users/{user_id}/events', 'User Events', "List of a user's events"],
  [
    'users/{user_id}/notifications',
    'User Notifications',
    'Notifications sent to a user and planned for the user',
  ],
].map(([path, name, description]) => ({
  uriTemplate: `resources://${path}`,
  name: name!,
  description: description!,
  mimeType,
}));

export function createResources(data: AssistantData): ResourceProvider {
  return {
    templates,
    async list({ actor }) {
      const { listUsers } = await import('../editing/users.ts');
      const visible = (await listUsers(data)).filter(({ id }) => maySeePerson(actor, id));
      return visible.map(({ id, name }) => ({
        uri: userUri(id),
        name,
        description: 'User profile data',
        mimeType,
      }));
    },
    async read(uri, { actor }) {
      const [, kind, id, list] =
        /^resources:\/\/(users|events)\/([^/?#]+)(?:\/(events|notifications))?$/.exec(uri) ?? [];
      if (id === undefined || (kind === 'events' && list !== undefined)) return undefined;
      try {
        const target = { id: decodeURIComponent(id), actor };
        const value = await readContent(data, list ?? kind!, target, list !== undefined);
        return [{ uri, mimeType, text: JSON.stringify(value, null, 2) }];
      } catch (error) {
        if (error instanceof Denied) throw error;
        // An invalid escape or an unknown id: this provider does not have the resource.
        if (error instanceof URIError || (error instanceof Failure && error.kind === 'resource-not-found'))
          return undefined;
        throw error;
      }
    },
    async complete(uriTemplate, argument, value, { actor }) {
      if (!templates.some((template) => template.uriTemplate === uriTemplate)) return undefined;
      const table = argument === 'user_id' ? 'users' : 'events';
      const people = actor.rights?.people ?? 'all';
      const ids = await data.store.read((db) => {
        const all = db
          .selectFrom(table)
          .select('id')
          .where('id', '>=', value)
          .where('id', '<', `${value}\uffff`);
        const visible =
          people === 'all' ? all : all.where(table === 'users' ? 'id' : 'user_id', 'in', [...people]);
        return visible.orderBy('id').limit(101).execute();
      });
      return ids.map(({ id }) => id);
    },
  };
}

async function readContent(
  data: AssistantData,
  kind: string,
  { id, actor }: { readonly id: string; readonly actor: Actor },
  isList: boolean,
): Promise<object> {
  const demand = (userId: string) => {
    if (!maySeePerson(actor, userId)) throw new Denied('resource-not-found', `Resource not found: ${id}`);
  };
  if (isList || kind === 'users') demand(id);
  if (isList)
    return kind === 'events'
      ? eventList(data, { userId: id, page: wholeList, documented: true })
      : notificationList(data, id, { daysBack: 2, daysForward: 30 }, wholeList);
  return data.store.read(async (db) => {
    if (kind === 'users') return profileView(await findUser(db, id));
    const event = await findEvent(db, id);
    demand(event.user_id);
    return eventDetailView(await placeEvent(db, event));
  });
}

function userUri(id: string): string {
  return `resources://users/${encodeURIComponent(id)}`;
}

/** The resources that a commit changed, each once. */
export function resourceChanges(changes: readonly StoreChange[]): Iterable<Change> {
  const all = changes.flatMap(changedResources);
  return new Map(all.map((change) => [JSON.stringify(change), change])).values();
}

function changedResources({ kind, id, userId }: StoreChange): readonly Change[] {
  switch (kind) {
    case 'user':
      return [
        { kind: 'resources', user: id },
        { kind: 'resource', uri: userUri(id) },
        { kind: 'resource', uri: `${userUri(id)}/events` },
        { kind: 'resource', uri: `${userUri(id)}/notifications` },
      ];
    case 'event':
      return [
        { kind: 'resource', uri: `resources://events/${encodeURIComponent(id)}` },
        { kind: 'resource', uri: `${userUri(userId)}/events` },
      ];
    case 'notification':
      return [{ kind: 'resource', uri: `${userUri(userId)}/notifications` }];
    default:
      return [];
  }
}
