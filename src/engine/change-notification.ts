import { type Actor, maySeePerson } from '../context.ts';
import type { Change } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import { metaKeys } from './envelope.ts';
import { notification, type RequestId } from './message.ts';

/** A change that clients are notified of. */
export type AnnouncedChange = Exclude<Change, { readonly kind: 'use' }>;

/** False if the change is about a person whom the actor may not see. */
export function isVisible(change: AnnouncedChange, actor: Actor): boolean {
  return change.kind !== 'resources' || change.user === undefined || maySeePerson(actor, change.user);
}

/** The notification for a change. `subscription` is the id of the `subscriptions/listen` request it answers. */
export function changeNotification(change: AnnouncedChange, subscription?: RequestId): JsonObject {
  const method =
    change.kind === 'resource'
      ? 'notifications/resources/updated'
      : `notifications/${change.kind}/list_changed`;
  const params = change.kind === 'resource' ? { uri: change.uri } : undefined;
  if (subscription === undefined) return notification(method, params);
  return notification(method, { ...params, _meta: { [metaKeys.subscriptionId]: subscription } });
}

/** True if a subscription with this filter includes the change. */
export function accepts(filter: JsonObject, change: AnnouncedChange): boolean {
  if (change.kind !== 'resource') return filter[`${change.kind}ListChanged`] === true;
  const uris = filter['resourceSubscriptions'];
  return Array.isArray(uris) && uris.includes(change.uri);
}
