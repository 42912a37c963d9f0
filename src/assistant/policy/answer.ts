import type { XStatic } from 'typebox/schema';
import { Check, Errors } from 'typebox/schema';
import { isObject } from '../../json.ts';
import { urgencies } from '../../store/schema.ts';
import { channelNames } from '../entities/channels.ts';
import type { Proposal } from './guards.ts';
import { modelLine, modelText } from './policy.ts';

const item = {
  type: 'object',
  required: ['offset_minutes', 'channel'],
  properties: {
    offset_minutes: { type: 'integer', minimum: -40_320, maximum: 0 },
    channel: { type: 'string', enum: [...channelNames, 'both'] },
    urgency: { type: 'string', enum: urgencies },
    subject: { type: 'string' },
    email_text: { type: 'string' },
    tts_script: { type: 'string' },
  },
} as const;

const plan = {
  type: 'object',
  required: ['notify', 'plan'],
  properties: {
    notify: { type: 'boolean' },
    reasoning: { type: 'string' },
    plan: { type: 'array', maxItems: 50, items: item },
  },
} as const;

/** The plans of a day in strict mode for structured output: every property required, no additional ones. */
export const strictPlansSchema = {
  type: 'object',
  required: ['plans'],
  additionalProperties: false,
  properties: {
    plans: {
      type: 'array',
      items: {
        ...plan,
        required: ['event', 'notify', 'reasoning', 'plan'],
        additionalProperties: false,
        properties: {
          event: { type: 'integer' },
          ...plan.properties,
          plan: {
            type: 'array',
            items: { ...item, required: Object.keys(item.properties), additionalProperties: false },
          },
        },
      },
    },
  },
} as const;

export interface ParsedPlan {
  readonly proposals: readonly Proposal[];
  readonly reason: string;
}

/** The plans by the number of their event, and what is wrong with the others or with the whole answer. */
export interface ParsedAnswer {
  readonly plans: ReadonlyMap<number, ParsedPlan>;
  readonly problem?: string;
}

/** Longer texts are cut before they go into a reminder. */
const maxTextLength = 2000;

/**
 * Parses the answer of a model about the events of a day, which are counted from 1. About a single event, or if the day needs no
 * reminders, a plan without the number of its event is enough.
 */
export function parseAnswer(text: string, events: number): ParsedAnswer {
  const value = extractJson(text);
  if (value === undefined) return { plans: new Map(), problem: 'it is not JSON' };
  const listed = isObject(value) && Array.isArray(value['plans']) ? (value['plans'] as unknown[]) : undefined;
  const isForAll = listed === undefined && (events === 1 || (isObject(value) && value['notify'] === false));
  const plans = new Map<number, ParsedPlan>();
  const problems: string[] = [];
  for (let event = 1; event <= events; event++) {
    const own = isForAll ? value : listed?.find((one) => isObject(one) && one['event'] === event);
    const parsed = own === undefined ? 'it has no plan' : parsePlan(own);
    if (typeof parsed !== 'string') plans.set(event, parsed);
    else problems.push(events === 1 ? parsed : `event ${event}: ${parsed}`);
  }
  return problems.length === 0 ? { plans } : { plans, problem: problems.slice(0, 5).join('; ') };
}

/** Returns what is wrong with an invalid plan. */
function parsePlan(value: unknown): ParsedPlan | string {
  // `plan` may be missing when `notify` is false.
  const filled = isObject(value) && value['notify'] === false ? { plan: [], ...value } : value;
  if (!Check(plan, filled)) {
    const [, errors] = Errors(plan, filled);
    return (errors as { instancePath: string; message: string }[])
      .slice(0, 5)
      .map(({ instancePath, message }) => `${instancePath || 'the answer'} ${message}`)
      .join('; ');
  }
  const { notify, plan: items, reasoning = '' } = filled as XStatic<typeof plan>;
  if (notify && items.length === 0) return 'notify is true, but plan is empty';
  return { reason: modelLine(reasoning, 300), proposals: notify ? items.flatMap(toProposals) : [] };
}

function toProposals(one: XStatic<typeof item>): readonly Proposal[] {
  const { offset_minutes: offsetMinutes, channel, urgency = 'normal', subject, email_text, tts_script } = one;
  const words = Object.fromEntries(
    Object.entries({ subject, text: email_text, script: tts_script })
      .filter(([, text]) => text !== undefined && text.trim() !== '')
      .map(([name, text]) => [name, modelText(text!, maxTextLength)]),
  );
  const both = channel === 'both' ? (['call', 'email'] as const) : [channel];
  return both.map((each) => ({ offsetMinutes, channel: each, urgency, ...words }));
}

/** Finds the JSON in an answer that may contain code fences or surrounding text. */
function extractJson(text: string): unknown {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  const braces = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  for (const candidate of [text, fenced, braces]) {
    try {
      if (candidate !== undefined) return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}
