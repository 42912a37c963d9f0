import type { McpClient } from './mcp-client.ts';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly timezone?: string;
  readonly quiet_start?: string;
  readonly quiet_end?: string;
}

export interface CalendarEvent {
  readonly id: string;
  readonly occurrence?: string;
  readonly title: string;
  readonly start_ts: string;
  readonly end_ts: string;
  readonly all_day?: boolean;
  readonly location?: string;
  readonly status?: string;
}

export interface Notification {
  readonly id: string;
  readonly event_id: string;
  readonly occurrence?: string;
  readonly channel: string;
  readonly plan_time: string;
  readonly status: string;
  readonly subject?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly sent_time?: string;
}

export interface Diary {
  readonly events: readonly CalendarEvent[];
  readonly notifications: readonly Notification[];
}

/** As far as the tools look in one call. */
export const reach = { back: 30, forward: 90 } as const;

export async function loadDiary(client: McpClient, userId: string, signal: AbortSignal): Promise<Diary> {
  const [{ events }, { notifications }] = await Promise.all([
    client.tool<{ events: CalendarEvent[] }>(
      'listEvents',
      { user_id: userId, days_back: reach.back, days_forward: reach.forward },
      { signal },
    ),
    client.tool<{ notifications: Notification[] }>(
      'listNotifications',
      { user_id: userId, days_back: reach.back, days_forward: 30 },
      { signal },
    ),
  ]);
  return { events, notifications };
}

export function keyOf({ id, occurrence }: CalendarEvent): string {
  return `${id}@${occurrence ?? ''}`;
}

export function notificationsOf(diary: Diary, event: CalendarEvent): readonly Notification[] {
  return diary.notifications.filter(
    (one) => one.event_id === event.id && (one.occurrence ?? '') === (event.occurrence ?? ''),
  );
}
