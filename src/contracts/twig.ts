import type { Contract } from './contract.ts';
import { argumentsSchema, codes, standard } from './standard.ts';

const titles: Readonly<Record<number, string>> = {
  [-32700]: 'Parse error',
  [-32600]: 'Invalid Request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
};

/** Jinja libraries. Errors have a fixed message for each code, and the details in `data.details`. */
export const twig: Contract = {
  ...standard,
  name: 'twig',
  server: { name: 'twig', version: 'dev' },
  modern: false,
  failureDetails: false,
  methods: new Set(['initialize', 'ping', 'prompts/list', 'prompts/get']),

  capabilities: () => ({ prompts: { listChanged: true } }),
  initialized: ({ instructions: _, ...result }) => result,
  // The document answers its `"cursor": null` with null. The official clients send no cursor, and reject null.
  nextCursor: (next, cursor) =>
    next === undefined && cursor === null ? { nextCursor: null } : standard.nextCursor(next, cursor),

  promptItem: (prompt) => ({
    name: prompt.name,
    ...(prompt.description !== undefined && { description: prompt.description }),
    inputSchema: argumentsSchema(prompt.arguments),
  }),
  prompt: ({ messages }) => ({ description: null, ...standard.prompt({ messages }) }),

  codes: { ...codes, 'prompt-not-found': -32601, 'content-missing': -32602, 'render-failed': -32602 },
  error: (failure, code) => ({
    code,
    message: titles[code] ?? failure.message,
    ...(failure.kind !== 'internal' && { data: { details: failure.message } }),
  }),
};
