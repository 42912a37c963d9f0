import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { type McpClient, McpError } from '../shared/mcp-client.ts';

export type User = ToolAnswer<'list_users'>['users'][number];
export type CalendarEvent = ToolAnswer<'list_events'>['events'][number];
export type Channel = ToolAnswer<'list_channels'>['channels'][number];
export type Notification = ToolAnswer<'list_notifications'>['notifications'][number];

/** The language in which the server writes times to this person. */
export function localeOf({ locale }: User): string {
  return locale ?? 'en';
}

export interface CalendarData {
  readonly events: readonly CalendarEvent[];
  /** Notifications by the key of their event. */
  readonly notifications: ReadonlyMap<string, readonly Notification[]>;
  /** Icons of the channels by name. */
  readonly icons: ReadonlyMap<string, string>;
}

/** A number of days before and after today. */
export interface Span {
  readonly back: number;
  readonly forward: number;
}
/** The widest span that the server's tools accept. */
export const maxSpan: Span = { back: 30, forward: 90 };

/** The resources the server updates when a person's events or notifications change. */
export function resourceUris({ id }: User): readonly string[] {
  const user = `resources://users/${encodeURIComponent(id)}`;
  return [`${user}/events`, `${user}/notifications`];
}

/** Notifications are planned at most this many days before their event. */
const maxLeadDays = 7;

export async function loadCalendar(
  client: McpClient,
  userId: string,
  { back, forward }: Span,
  signal: AbortSignal,
): Promise<CalendarData> {
  const shown = client.tool(
    'list_events',
    { user_id: userId, days_back: back, days_forward: forward, ...wholeList },
    { signal },
  );
  const planned = client.tool(
    'list_notifications',
    {
      user_id: userId,
      days_back: Math.min(back + maxLeadDays, maxSpan.back),
      days_forward: Math.min(forward, 30),
      ...wholeList,
    },
    { signal },
  );
  const named = async () => (await planned).notifications.map(({ channel }) => channel);
  const [{ events }, { notifications }, channels] = await Promise.all([
    shown,
    planned,
    loadChannels(client, named, signal),
  ]);
  return {
    events,
    notifications: Map.groupBy(
      notifications,
      ({ event_id, occurrence }) => `${event_id}@${occurrence ?? ''}`,
    ),
    icons: new Map(channels.map(({ name, icon }) => [name, icon])),
  };
}

/**
 * The channels of the server, or those that the data names if the list is refused: by a token, by a setting, or by an older
 * server that has no such tool.
 */
export async function loadChannels(
  client: McpClient,
  named: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly Channel[]> {
  try {
    return (await client.tool('list_channels', {}, { signal })).channels;
  } catch (error) {
    // Only an answer of the server is a refusal.
    if (!(error instanceof McpError) || (error.code === 0 && error.status === 0)) throw error;
    return [...new Set(await named())].map((name) => ({
      ...{ name, label: name, icon: name, address: name, help: '', example: '', sample: '' },
      configured: true,
      settings: [],
    }));
  }
}

/** The calendar that an event belongs to. Of calendars that are only read, the event names its source. */
export function calendarOf({ calendar_id, provider = '' }: CalendarEvent): string | undefined {
  return calendar_id ?? /^\w+:(.+)$/.exec(provider)?.[1];
}

export function keyOf({ id, occurrence }: CalendarEvent): string {
  return `${id}@${occurrence ?? ''}`;
}

export function notificationsFor(calendar: CalendarData, event: CalendarEvent): readonly Notification[] {
  return calendar.notifications.get(keyOf(event)) ?? [];
}
