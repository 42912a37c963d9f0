import type { Json, JsonObject } from '../../json.ts';
import { localTime } from '../../recurrence/written-time.ts';
import type { AssistantData } from '../entities/entity-access.ts';

/** The instants in results, and the names of the fields that say the same in local time. */
const localNames = new Map([
  ['start_ts', 'start_local'],
  ['end_ts', 'end_local'],
  ['plan_time', 'plan_local'],
  ['previous_time', 'previous_local'],
  ['sent_time', 'sent_local'],
  ['acknowledged_at', 'acknowledged_local'],
  ['pause_from', 'pause_from_local'],
  ['pause_until', 'pause_until_local'],
  ['at', 'at_local'],
  ['last_sync', 'last_sync_local'],
  ['next_sync', 'next_sync_local'],
]);

/** Adds the local time beside every instant, in the time zone of the user whom it concerns. */
export async function addLocalTimes(
  data: AssistantData,
  result: JsonObject,
  args: JsonObject,
): Promise<JsonObject> {
  if (!hasInstant(result)) return result;
  const asked = args['user_id'];
  const ids = new Set(usersIn(result));
  if (typeof asked === 'string') ids.add(asked);
  const zones = await zonesOf(data, [...ids]);
  // A result that names no user belongs to the one who was asked for, or to the only one.
  const zone =
    (typeof asked === 'string' && zones.get(asked)) || (zones.size === 1 ? [...zones.values()][0]! : 'UTC');
  return annotate(result, zone, zones, data.clock()) as JsonObject;
}

/** The time zones of these users. Without names, of the only user, if there is just one. */
async function zonesOf(
  { store }: AssistantData,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const users = await store.read((db) => {
    const query = db.selectFrom('users').select(['id', 'timezone']);
    return ids.length === 0 ? query.limit(2).execute() : query.where('id', 'in', ids.slice(0, 500)).execute();
  });
  if (ids.length === 0 && users.length > 1) return new Map();
  return new Map(users.map(({ id, timezone }) => [id, timezone ?? 'UTC']));
}

function children(value: Json): readonly Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).filter((one) => one !== undefined) as Json[];
}

function hasInstant(value: Json): boolean {
  const named =
    typeof value === 'object' && value !== null && Object.keys(value).some((name) => localNames.has(name));
  return named || children(value).some(hasInstant);
}

function usersIn(value: Json): readonly string[] {
  const own =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)['user_id']
      : undefined;
  return [...(typeof own === 'string' ? [own] : []), ...children(value).flatMap(usersIn)];
}

/** Each object is shown in the time zone of its user, or else in that of the enclosing one. */
function annotate(value: Json, outer: string, zones: ReadonlyMap<string, string>, nowMs: number): Json {
  if (Array.isArray(value)) return value.map((item) => annotate(item, outer, zones, nowMs));
  if (typeof value !== 'object' || value === null) return value;
  const { user_id: userId, all_day: allDay } = value as JsonObject;
  const zone = (typeof userId === 'string' && zones.get(userId)) || outer;
  const fields = Object.entries(value as JsonObject).flatMap(([name, field]): [string, Json][] => {
    const local = localNames.get(name);
    const ms = local !== undefined && typeof field === 'string' ? Date.parse(field) : Number.NaN;
    const own: [string, Json] = [name, annotate(field as Json, zone, zones, nowMs)];
    if (local === undefined || Number.isNaN(ms)) return [own];
    if (name !== 'end_ts') return [own, [local, localTime(ms, zone, nowMs, allDay === true)]];
    // The start has the time zone and the distance already.
    return allDay === true ? [own] : [own, [local, endTime(ms, zone, nowMs)]];
  });
  return Object.fromEntries(fields);
}

function endTime(ms: number, zone: string, nowMs: number): string {
  return localTime(ms, zone, nowMs).split(` ${zone}`)[0]!.slice(4);
}
