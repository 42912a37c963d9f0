import { firingSources, firingStatuses } from '../../store/values.ts';
import type { FilledArguments, ValueOf } from '../../tool.ts';
import { applyModes, sandboxes } from './routine.ts';

const words = { type: 'string', minLength: 1, maxLength: 500 } as const;

const limits = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tokens: { type: 'integer', minimum: 0 },
    usd: { type: 'number', minimum: 0 },
    minutes: { type: 'number', minimum: 0 },
  },
} as const;

const budgetSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { run: limits, day: limits },
} as const;

const whenSchema = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 500 },
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        before: words,
        after: words,
        match: {
          type: 'object',
          additionalProperties: false,
          properties: { calendar: words, kind: words, text: words, attendee: words },
        },
      },
    },
  ],
} as const;

const line = { type: 'string', minLength: 1, maxLength: 200 } as const;

export const routineFields = {
  name: { ...line, maxLength: 80 },
  task: { type: 'string', minLength: 1, maxLength: 20_000, description: 'Whole task, or :prompt' },
  cwd: { type: 'string', minLength: 1, description: 'Absolute folder' },
  when: {
    ...whenSchema,
    description:
      'Time, "every weekday at 07:00", RRULE:…, cron:…, webhook, or {before|after: "30 minutes", match: {calendar, kind, text, attendee}}',
  },
  notify: { ...line, description: 'me or a person: gets the result' },
  agent: line,
  sandbox: { enum: sandboxes, description: 'Default: read-only' },
  budget: { ...budgetSchema, description: 'E.g. {"run": {"minutes": 30}, "day": {"usd": 2}}' },
  model: line,
  apply: { enum: applyModes, description: 'Of its changes. Default: ask' },
  asks: { type: 'boolean', description: 'Whether the agent may ask for permission' },
  timezone: { ...line, description: 'Default: yours' },
  missed: { enum: ['once', 'skip'], description: 'Times missed: run once, or not. Default: once' },
  catch_up_hours: { type: 'integer', minimum: 0, maximum: 168, description: 'How late it may start' },
  overlap: { enum: ['skip', 'queue'], description: 'While its last run is in progress. Default: skip' },
} as const;

/** Arguments that tool lists leave out: few routines need them, and every list costs. */
const unlisted = ['model', 'apply', 'asks', 'timezone', 'missed', 'catch_up_hours', 'overlap'];

export function listedFields<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, schema]) =>
      unlisted.includes(name) ? [] : [[name, short(name, schema)]],
    ),
  ) as Fields;
}

/** Lists of tools describe structured values in words. */
function short(name: string, schema: object): object {
  const { description } = schema as { description?: string };
  if (name === 'when') return { description };
  if (name === 'budget') return { type: 'object', description };
  return schema;
}

export type RoutineInput = Partial<FilledArguments<{ type: 'object'; properties: typeof routineFields }>>;

export const routineName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: 'Id or name',
} as const;

const text = { type: 'string' } as const;

export const firingShape = {
  type: 'object',
  required: ['id', 'due', 'source', 'status'],
  properties: {
    id: text,
    due: text,
    source: { enum: firingSources },
    status: { enum: firingStatuses },
    reason: { type: 'string', description: 'Why it was skipped, failed or waits' },
    attempts: { type: 'integer', description: 'Failed attempts to start' },
    run_id: text,
    started: text,
    ended: text,
    result: text,
  },
} as const;

export const routineShape = {
  type: 'object',
  required: [
    'id',
    'name',
    'task',
    'cwd',
    'when',
    'timezone',
    'status',
    'sandbox',
    'apply',
    'missed',
    'overlap',
    'host',
  ],
  properties: {
    id: text,
    name: text,
    task: text,
    cwd: text,
    when: whenSchema,
    timezone: text,
    status: { enum: ['unconfirmed', 'active', 'paused'] },
    pause_reason: text,
    next_due: { type: 'array', items: text, description: 'The next due times' },
    notify: text,
    agent: text,
    model: text,
    sandbox: { enum: sandboxes },
    apply: { enum: applyModes },
    asks: { type: 'boolean' },
    budget: budgetSchema,
    missed: { enum: ['once', 'skip'] },
    catch_up_hours: { type: 'integer' },
    overlap: { enum: ['skip', 'queue'] },
    host: { type: 'string', description: 'The machine that has the folder and fires it' },
    creator: { type: 'string', description: 'Absent for the owner' },
    last: firingShape,
  },
} as const;
export type RoutineView = ValueOf<typeof routineShape>;

export const createdShape = {
  type: 'object',
  required: ['routine', 'warnings'],
  properties: {
    routine: routineShape,
    webhook: {
      type: 'object',
      required: ['path', 'secret'],
      properties: {
        path: { type: 'string' },
        url: { type: 'string' },
        secret: { type: 'string', description: 'Signs requests. It is shown only now.' },
      },
    },
    warnings: { type: 'array', items: { type: 'string' } },
  },
} as const;
