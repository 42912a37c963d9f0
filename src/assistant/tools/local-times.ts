import type { Context } from '../../context.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Tool } from '../../tool.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { localTime } from '../entities/local-time.ts';
import { preferencesOf } from '../entities/preferences.ts';

/** The instants in results, and the names of the fields that say the same in local time. */
const localNames: Readonly<Record<string, string>> = {
  start_ts: 'start_local',
  end_ts: 'end_local',
  plan_time: 'plan_local',
  previous_time: 'previous_local',
  sent_time: 'sent_local',
  acknowledged_at: 'acknowledged_local',
  at: 'at_local',
  last_sync: 'last_sync_local',
  next_sync: 'next_sync_local',
};

/** Characters that local times add to one item of a list. */
export const localTimesLength = 100;

/** Adds local times and relative phrases, which models would otherwise have to compute, to the results of a tool. */
export function withLocalTimes(tool: Tool, data: AssistantData): Tool {
  return {
    ...tool,
    async call(args: JsonObject, context: Context) {
      const result = await tool.call(args as never, context);
      if (result.structured === undefined || !hasInstant(result.structured as Json)) return result;
      const users = await data.store.read((db) => db.selectFrom('users').selectAll().execute());
      const zones = new Map(users.map((user) => [user.id, preferencesOf(user).timezone]));
      const userId = typeof args['user_id'] === 'string' ? args['user_id'] : undefined;
      const zone =
        (userId !== undefined && zones.get(userId)) || (zones.size === 1 ? [...zones.values()][0]! : 'UTC');
      return {
        ...result,
        structured: annotate(result.structured as Json, zone, zones, data.clock()) as JsonObject,
      };
    },
  };
}

function hasInstant(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasInstant);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, field]) => name in localNames || hasInstant(field as Json));
}

/** Each object is shown in the time zone of its user, or else in that of the enclosing one. */
function annotate(value: Json, outer: string, zones: ReadonlyMap<string, string>, nowMs: number): Json {
  if (Array.isArray(value)) return value.map((item) => annotate(item, outer, zones, nowMs));
  if (typeof value !== 'object' || value === null) return value;
  const { user_id: userId, all_day: allDay } = value as JsonObject;
  const zone = (typeof userId === 'string' && zones.get(userId)) || outer;
  const fields = Object.entries(value as JsonObject).flatMap(([name, field]): [string, Json][] => {
    const ms = name in localNames && typeof field === 'string' ? Date.parse(field) : Number.NaN;
    const own: [string, Json] = [name, annotate(field as Json, zone, zones, nowMs)];
    if (Number.isNaN(ms)) return [own];
    // The end of an event is said with its start; most events end on the same day.
    const local = name === 'end_ts' ? endTime(ms, zone, nowMs) : localTime(ms, zone, nowMs, allDay === true);
    return allDay === true && name === 'end_ts' ? [own] : [own, [localNames[name]!, local]];
  });
  return Object.fromEntries(fields);
}

function endTime(ms: number, zone: string, nowMs: number): string {
  return localTime(ms, zone, nowMs).split(` ${zone}`)[0]!.slice(4);
}
