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
  summary: 'Keep the events of the diary.',
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
          'Nothing takes place in this time.',
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
      fields: { occurrence: { type: 'string', description: 'Only this one of a series' } },
      show: ({ deleted }) => `deleted ${deleted}`,
    }),
  },
});
