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
  name: { ...line, maxLength: 80, description: 'Name' },
  task: { type: 'string', minLength: 1, maxLength: 20_000, description: 'Or :prompt' },
  cwd: { type: 'string', minLength: 1, description: 'Folder' },
  when: {
    ...whenSchema,
    description:
      'Time, every weekday at 07:00, RRULE:…, cron:…, webhook, or {"before|after":"30 minutes","match":{calendar,kind,text,attendee}}',
  },
  notify: { ...line, description: 'Gets the result, e.g. me' },
  agent: { ...line, description: 'E.g. codex' },
  sandbox: { enum: sandboxes, description: 'Default: read-only' },
  budget: { ...budgetSchema, description: '{"run|day":{tokens,usd,minutes}}' },
  model: { ...line, description: 'Default: as configured' },
  apply: { enum: applyModes, description: 'Of its changes. Default: ask' },
  asks: { type: 'boolean', description: 'Whether the agent may ask for permission' },
  timezone: { ...line, description: 'Default: yours' },
  missed: { enum: ['once', 'skip'], description: 'Times missed: run once, or not. Default: once' },
  catch_up_hours: { type: 'integer', minimum: 0, maximum: 168, description: 'How late it may start' },
  overlap: { enum: ['skip', 'queue'], description: 'While its last run is in progress. Default: skip' },
} as const;

/** The fields that a tool lists. It accepts all of them: few routines need the others, and every list costs. */
export function listedFields<Name extends keyof typeof routineFields>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, announced(name)])) as unknown as typeof routineFields;
}

/** Some model APIs accept no value of two types, so lists describe a structure in words, and it may come as text. */
function announced(name: keyof typeof routineFields): object {
  const { description } = routineFields[name];
  if (name === 'when') return { type: 'string', description };
  if (name === 'budget') return { type: 'object', description };
  return routineFields[name];
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
    'changed',
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
    changed: { type: 'string', description: 'When it was changed last, for as_of' },
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
