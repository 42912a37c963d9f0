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

/** The same schema in strict mode for structured output: every property required, no additional ones. */
export const strictPlanSchema = {
  ...plan,
  required: ['notify', 'reasoning', 'plan'],
  additionalProperties: false,
  properties: {
    ...plan.properties,
    plan: {
      type: 'array',
      items: { ...item, required: Object.keys(item.properties), additionalProperties: false },
    },
  },
} as const;

export type ParsedAnswer =
  | { readonly proposals: readonly Proposal[]; readonly reason: string }
  | { readonly problem: string };

/** Longer texts are cut before they go into a reminder. */
const maxTextLength = 2000;

/** Parses the answer of a model. An invalid answer yields a problem text that can be sent back to the model. */
export function parseAnswer(text: string): ParsedAnswer {
  const value = extractJson(text);
  if (value === undefined) return { problem: 'it is not JSON' };
  // `plan` may be missing when `notify` is false.
  const filled = isObject(value) && value['notify'] === false ? { plan: [], ...value } : value;
  if (!Check(plan, filled)) {
    const [, errors] = Errors(plan, filled);
    return {
      problem: (errors as { instancePath: string; message: string }[])
        .slice(0, 5)
        .map(({ instancePath, message }) => `${instancePath || 'the answer'} ${message}`)
        .join('; '),
    };
  }
  const { notify, plan: items, reasoning = '' } = filled as XStatic<typeof plan>;
  if (notify && items.length === 0) return { problem: 'notify is true, but plan is empty' };
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
