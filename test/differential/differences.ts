import { expect } from 'vitest';
import { question } from './sample.ts';

/** A deliberate difference between our engine and the official one. */
export interface Difference {
  readonly what: readonly string[];
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly why: string;
}

export const differences: readonly Difference[] = [
  {
    what: ['lists tools with an invalid cursor'],
    ours: { code: -32602 },
    theirs: { result: expect.objectContaining({ tools: expect.any(Array) }) },
    why: 'The specification requires -32602; the official engine has no pages and ignores the cursor.',
  },
  {
    what: [
      'gets a prompt without a name',
      'reads a resource without a URI',
      'completes without parameters',
      'sets an unknown log level',
    ],
    ours: { code: -32602 },
    theirs: { code: -32603 },
    why: 'Invalid parameters are -32602 in JSON-RPC; the official engine reports an internal error of its parser.',
  },
  {
    what: ['calls a tool that asks a question'],
    ours: { result: inputRequired({}) },
    theirs: { result: inputRequired({ mode: 'form' }) },
    why: 'The default mode is a form, and older clients do not know the field, so our engine omits it.',
  },
];

function inputRequired(more: object): object {
  const params = { ...question, ...more };
  return {
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create', params } },
  };
}
