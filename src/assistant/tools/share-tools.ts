import { publicAddress } from '../../public-address.ts';
import { defineTool, hints } from '../../tool.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { eventRange, userId } from './fields.ts';

const calendarId = {
  type: 'string',
  description: 'From list_calendars; local: events created here. Default: everything',
} as const;

/** Only the dates in this range. */
const range = {
  from: { ...eventRange.from, description: 'First day or time. With from or to, each date stands by itself' },
  to: { ...eventRange.to, description: 'Last day, included' },
} as const;
/** If only one end of the range is given. */
const openRange = { daysBack: 366, daysForward: 731 };

/** Tools that give the events of a person to other programs. */
export function shareTools(
  data: AssistantData,
  publicUrl: string | undefined,
  localUrl: () => Promise<string | undefined> = async () => undefined,
) {
  return [
    defineTool({
      name: 'share_calendar',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Share Calendar',
      description:
        'Makes a private, read-only address (ICS) with which phones and other programs subscribe to the events of a person. revoke ends all its addresses.',
      phrases:
        'share publish feed ics link address subscribe from phone apple google outlook see my events elsewhere read only webcal revoke stop sharing',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: userId,
          calendar_id: calendarId,
          revoke: { type: 'boolean', default: false, description: 'End the addresses instead' },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'Shown once. Whoever knows it can read the events' },
          revoked: { type: 'integer', minimum: 0 },
          note: { type: 'string' },
        },
      },
      annotations: { ...hints.replaces, idempotentHint: false },
      async call({ user_id, calendar_id, revoke = false }) {
        const { demandCalendar, issueFeed, revokeFeeds } = await import('../calendar/feed.ts');
        if (revoke) {
          await demandCalendar(data, user_id, calendar_id);
          return { structured: { revoked: await revokeFeeds(data, user_id, calendar_id) } };
        }
        const path = await issueFeed(data, user_id, calendar_id);
        if (publicUrl !== undefined) return { structured: { url: publicAddress(publicUrl, path) } };
        const local = await localUrl();
        const note = [
          local === undefined
            ? 'Nothing serves this path yet: start "adjutant serve --http", and put the address of that server before it.'
            : 'This address works only on this machine.',
          'For other devices, set delivery.public_url to the address at which they reach the server, such as https://calendar.example.org, and share again.',
        ].join(' ');
        return { structured: { url: local === undefined ? path : publicAddress(local, path), note } };
      },
    }),
    defineTool({
      name: 'export_calendar',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Export Calendar',
      description:
        'Returns the events of a person, all or those of some days, as iCalendar text, for a file or another program.',
      phrases: 'export download save backup ics file calendar events take out copy to another program',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, calendar_id: calendarId, ...range },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        required: ['calendar', 'events'],
        properties: {
          calendar: { type: 'string', description: 'iCalendar text' },
          events: { type: 'integer', minimum: 0 },
        },
      },
      annotations: hints.reads,
      async call({ user_id, calendar_id, from, to }) {
        const { demandCalendar } = await import('../calendar/feed.ts');
        const { exportCalendar } = await import('../calendar/export.ts');
        await demandCalendar(data, user_id, calendar_id);
        const { windowOf } = await import('./event-list.ts');
        const window =
          from === undefined && to === undefined
            ? undefined
            : await windowOf(data, { userId: user_id, from, to, ...openRange });
        const { text, events } = await exportCalendar(data, user_id, calendar_id, window);
        return { structured: { calendar: text, events } };
      },
    }),
  ];
}
