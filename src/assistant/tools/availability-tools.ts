import { defineTool, hints } from '../../tool.ts';
import { weekdayNames } from '../availability/spans.ts';
import type { CalendarOptions } from '../calendar/sync.ts';
import type { AssistantData } from '../entities/entity-access.ts';

const text = { type: 'string' } as const;
const people = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  items: { type: 'string', minLength: 1, maxLength: 320 },
  default: ['me'],
  description: 'Ids, names or mail addresses',
} as const;
const range = {
  from: {
    type: 'string',
    maxLength: 40,
    description: 'Local 2026-03-01T09:30, 2026-03-01, friday 14:00 or next week. Default: now',
  },
  to: {
    type: 'string',
    maxLength: 40,
    description: 'Last day, included, or time; at most 92 days later. Default: 7 days',
  },
  zone: { type: 'string', maxLength: 64, description: "Time zone. Default: the first person's" },
} as const;

/** Arguments of find_time besides the people. */
const findTimeFields = {
  duration_minutes: { type: 'integer', minimum: 5, maximum: 1440, description: 'Length of the meeting' },
  ...range,
  hours: {
    type: 'string',
    maxLength: 13,
    description: "In each person's own zone. Default: 09:00-17:00, or the times of from and to",
  },
  weekdays: {
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: weekdayNames },
    description: 'Default: mon to fri; all, if from and to span at most 3 days',
  },
  buffer_minutes: {
    type: 'integer',
    minimum: 0,
    maximum: 240,
    default: 0,
    description: 'Free before and after events',
  },
  step_minutes: { type: 'integer', minimum: 5, maximum: 60, default: 15, description: 'Starts every' },
  rrule: { type: 'string', maxLength: 500, description: 'Series: checks its dates within a year' },
  ignore_event_id: { type: 'string', description: 'Event to move: not busy' },
  count: { type: 'integer', minimum: 1, maximum: 20, default: 5, description: 'Number of proposals' },
} as const;

const unknown = {
  type: 'array',
  items: text,
  description: 'Why there may be more; never treat this person as free',
} as const;

export function findTimeTool(
  data: AssistantData,
  { intervalMs }: Pick<CalendarOptions, 'intervalMs'>,
  timeoutMs: number,
) {
  return defineTool({
    name: 'find_time',
    toolsets: ['calendar'],
    scope: 'calendar:*',
    listedBeside: 'list_events',
    replaces: ['get_free_busy'],
    view: 'calendar',
    title: 'Find Time',
    description:
      'Proposes times when several users can meet, best first; without duration_minutes, lists when they are busy, without titles. People in unknown have calendars that could not be read: ask them.',
    phrases:
      'find a time slot meeting several people everyone free available availability suggest propose when can we meet together gap opening free busy who is occupied taken booked schedule of colleagues',
    inputSchema: {
      type: 'object',
      properties: { people, ...findTimeFields },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['slots', 'zone'],
      properties: {
        slots: {
          type: 'array',
          items: {
            type: 'object',
            required: ['start_ts', 'end_ts', 'people'],
            properties: {
              start_ts: text,
              end_ts: text,
              start_local: text,
              end_local: text,
              people: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['user_id', 'state', 'start_local'],
                  properties: {
                    user_id: text,
                    state: { enum: ['free', 'tentative', 'unknown'] },
                    start_local: text,
                  },
                },
              },
              dates: { type: 'integer', description: 'Dates of the series that were checked' },
              missed: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['start_ts', 'start_local'],
                  properties: { start_ts: text, start_local: text },
                },
                description: 'Dates of the series when somebody is busy',
              },
            },
          },
        },
        zone: text,
        from: text,
        to: text,
        people: {
          type: 'array',
          items: {
            type: 'object',
            required: ['user_id', 'busy'],
            properties: {
              user_id: text,
              busy: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['start_ts', 'end_ts'],
                  properties: {
                    start_ts: text,
                    end_ts: text,
                    start_local: text,
                    tentative: { type: 'boolean' },
                  },
                },
              },
              unknown,
            },
          },
        },
        unknown: {
          type: 'array',
          items: {
            type: 'object',
            required: ['user_id', 'reason'],
            properties: { user_id: text, reason: text },
          },
        },
        none_because: text,
      },
    },
    annotations: hints.reads,
    timeoutMs,
    async call(request) {
      const { findTime, freeBusy } = await import('../availability/find-time.ts');
      const { duration_minutes } = request;
      const structured =
        duration_minutes === undefined
          ? { slots: [], ...(await freeBusy(data, request, intervalMs)) }
          : await findTime(data, { ...request, duration_minutes }, intervalMs);
      return { structured };
    },
  });
}
