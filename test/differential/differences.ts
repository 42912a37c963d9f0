import { expect } from 'vitest';
import { question } from './sample.ts';

/** Where we differ on purpose. */
export interface Difference {
  readonly what: readonly string[];
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly why: string;
}

export const differences: readonly Difference[] = [
  {
    what: ['lists tools from a cursor of its own making'],
    ours: { code: -32602 },
    theirs: { result: expect.objectContaining({ tools: expect.any(Array) }) },
    why: 'The specification asks for -32602; the official engine has no pages and does not look.',
  },
  {
    what: [
      'gets a prompt without its name',
      'reads a resource without its address',
      'completes without saying what',
      'sets a level that is none',
    ],
    ours: { code: -32602 },
    theirs: { code: -32603 },
    why: 'Wrong parameters are -32602 in JSON-RPC; the official engine takes its own parser for broken.',
  },
  {
    what: ['calls a tool that asks'],
    ours: { result: asking({}) },
    theirs: { result: asking({ mode: 'form' }) },
    why: 'A form is what is meant where nothing is said; we say nothing, for older clients.',
  },
];

function asking(more: object): object {
  const params = { ...question, ...more };
  return {
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create', params } },
  };
}
