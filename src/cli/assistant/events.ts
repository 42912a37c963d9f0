import { findTimeFields, freeBusyFields, people } from '../../assistant/tools/availability-tools.ts';
import {
  answerFields,
  confirmField,
  deleteFields,
  eventFields,
  eventTitle,
  eventWindow,
  newEventId,
  remoteFields,
  scopeFields,
  unsetEventFields,
} from '../../assistant/tools/fields.ts';
import { wholeList } from '../../paging.ts';
import { inCommandWords } from '../client/command-words.ts';
import { showFields, showTable, showTime, toolAction, toolCommand } from '../client/tool-command.ts';

export const events = toolCommand({
  name: 'events',
  summary: 'List, create, update, delete and answer events; find a time to meet.',
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
      fields: { title: eventTitle, ...eventFields, id: newEventId, ...remoteFields },
      show: showFields,
    }),
    update: toolAction({
      tool: 'update_event',
      changes: true,
      positional: 'event_id',
      fields: {
        title: eventTitle,
        ...eventFields,
        ...scopeFields,
        unset: unsetEventFields,
        confirm: confirmField,
      },
      show: showFields,
    }),
    delete: toolAction({
      tool: 'delete_event',
      changes: true,
      positional: 'event_id',
      fields: deleteFields,
      show: ({ deleted }) => `deleted ${deleted}`,
    }),
    answer: toolAction({
      tool: 'answer_invitation',
      changes: true,
      positional: 'event_id',
      fields: answerFields,
      show: showFields,
    }),
    find: toolAction({
      tool: 'find_time',
      fields: { people, ...findTimeFields },
      show: ({ slots, unknown = [], none_because: reason }) =>
        [
          showTable(
            slots.flatMap(({ people, dates, missed = [] }, index) =>
              people.map(({ user_id, state, start_local }, row) => [
                row === 0 ? `${index + 1}` : '',
                start_local,
                user_id,
                state,
                row === 0 && dates !== undefined ? `${dates - missed.length} of ${dates} dates` : '',
              ]),
            ),
            reason ?? 'No time found.',
          ),
          ...unknown.map(({ user_id, reason }) => `unknown: ${user_id}: ${inCommandWords(reason)}`),
        ].join('\n'),
    }),
    busy: toolAction({
      tool: 'find_time',
      fields: { people, ...freeBusyFields },
      show: ({ people = [] }) =>
        people
          .flatMap(({ user_id, busy, unknown = [] }) => [
            showTable(
              busy.map(({ start_ts, start_local = start_ts, end_ts, tentative }) => [
                user_id,
                start_local,
                `until ${end_ts}`,
                tentative ? 'tentative' : 'busy',
              ]),
              `${user_id}  no busy times known`,
            ),
            ...unknown.map((reason) => `unknown: ${user_id}: ${inCommandWords(reason)}`),
          ])
          .join('\n'),
    }),
  },
});
