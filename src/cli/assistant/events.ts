import {
  eventFields,
  eventTitle,
  eventWindow,
  newEventId,
  unsetEventFields,
} from '../../assistant/tools/fields.ts';
import { showFields, showTable, showTime, toolAction, toolCommand } from '../client/tool-command.ts';

export const events = toolCommand({
  name: 'events',
  summary: 'List, create, update and delete events.',
  settings: ['assistant.database_url'],
  actions: {
    list: toolAction({
      tool: 'listEvents',
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
    show: toolAction({ tool: 'getEvent', positional: 'event_id', show: showFields }),
    create: toolAction({
      tool: 'createEvent',
      changes: true,
      positional: 'user_id',
      fields: { title: eventTitle, ...eventFields, id: newEventId },
      show: showFields,
    }),
    update: toolAction({
      tool: 'updateEvent',
      changes: true,
      positional: 'event_id',
      fields: { title: eventTitle, ...eventFields, unset: unsetEventFields },
      show: showFields,
    }),
    delete: toolAction({
      tool: 'deleteEvent',
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
