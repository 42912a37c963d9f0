import type { ToolAnswer } from '../../../api.ts';
import type { McpClient } from '../shared/mcp-client.ts';

export type User = ToolAnswer<'listUsers'>['users'][number];
export type CalendarEvent = ToolAnswer<'listEvents'>['events'][number];
export type Notification = ToolAnswer<'listNotifications'>['notifications'][number];

export interface CalendarData {
  readonly events: readonly CalendarEvent[];
  /** By the key of the event they are about. */
  readonly notifications: ReadonlyMap<string, readonly Notification[]>;
}

/** How many days before and after now; the tools look no further than this. */
export interface Span {
  readonly back: number;
  readonly forward: number;
}
export const farthest: Span = { back: 30, forward: 90 };

/** What the server tells of when something in a person's diary changes. */
export function resourcesOf({ id }: User): readonly string[] {
  const user = `resources://users/${encodeURIComponent(id)}`;
  return [`${user}/events`, `${user}/notifications`];
}

/** People are told of an event up to so many days before it. */
const earliestDays = 7;

export async function loadCalendar(
  client: McpClient,
  userId: string,
  { back, forward }: Span,
  signal: AbortSignal,
): Promise<CalendarData> {
  const [{ events }, { notifications }] = await Promise.all([
    client.tool('listEvents', { user_id: userId, days_back: back, days_forward: forward }, { signal }),
    client.tool(
      'listNotifications',
      {
        user_id: userId,
        days_back: Math.min(back + earliestDays, farthest.back),
        days_forward: Math.min(forward, 30),
      },
      { signal },
    ),
  ]);
  return {
    events,
    notifications: Map.groupBy(
      notifications,
      ({ event_id, occurrence }) => `${event_id}@${occurrence ?? ''}`,
    ),
  };
}

export function keyOf({ id, occurrence }: CalendarEvent): string {
  return `${id}@${occurrence ?? ''}`;
}

export function notificationsOf(diary: CalendarData, event: CalendarEvent): readonly Notification[] {
  return diary.notifications.get(keyOf(event)) ?? [];
}
