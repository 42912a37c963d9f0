import {
  eventFields,
  eventTitle,
  eventWindow,
  newEventId,
  reminderOccurrence,
  unsetEventFields,
} from '../../assistant/tools/fields.ts';
import { wholeList } from '../../paging.ts';
import { showFields, showTable, showTime, toolAction, toolCommand } from '../client/tool-command.ts';

export const events = toolCommand({
  name: 'events',
  summary: 'List, create, update and delete events.',
  settings: ['assistant.database_url'],
  actions: {
    list: toolAction({
      tool: 'list_events',
      defaults: wholeList,
      positional: 'user_id',
      optional: true,
      fields: eventWindow,
      show: ({ events }) =>
        showTable(
          events.map((event) => [
            event.start_date ?? showTime(event.start_ts, event.timezone),
            event.title,
            event.location,
            event.status === 'confirmed' ? '' : event.status,
            event.id,
            event.occurrence,
          ]),
          'No events in this time.',
        ),
    }),
    show: toolAction({ tool: 'get_event', positional: 'event_id', show: showFields }),
    create: toolAction({
      tool: 'create_event',
      changes: true,
      positional: 'user_id',
      fields: { title: eventTitle, ...eventFields, id: newEventId },
      show: showFields,
    }),
    update: toolAction({
      tool: 'update_event',
      changes: true,
      positional: 'event_id',
      fields: { title: eventTitle, ...eventFields, occurrence: reminderOccurrence, unset: unsetEventFields },
      show: showFields,
    }),
    delete: toolAction({
      tool: 'delete_event',
      changes: true,
      positional: 'event_id',
      fields: {
        occurrence: {
          type: 'string',
          description: 'Occurrence of a series to delete, as events list shows it',
        },
      },
      show: ({ deleted }) => `deleted ${deleted}`,
    }),
  },
});
