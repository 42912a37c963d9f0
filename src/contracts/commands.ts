import type { FailureKind } from '../failure.ts';
import type { Contract } from './contract.ts';
import { codes, standard, toolItem } from './standard.ts';

/** Markdown prompt commands: two tools, one protocol revision. */
export const commands: Contract = {
  ...standard,
  name: 'commands',
  server: { name: 'codex-subagents', version: '0.1.0' },
  modern: false,
  failureDetails: false,
  methods: new Set(['initialize', 'tools/list', 'tools/call']),
  tools: new Set(['list_prompts', 'expand_prompt']),

  negotiate: () => '2024-11-05',
  capabilities: () => ({ tools: {} }),
  initialized: ({ instructions: _, ...result }, params) => ({
    ...result,
    clientInfo: params['clientInfo'] ?? { name: '' },
  }),

  toolItem: ({ name, description, inputSchema }) => toolItem({ name, description, inputSchema }),

  toolResult: ({ meta: _, ...result }) => standard.toolResult(result),

  codes: { ...codes, 'tool-not-found': -32601, cancelled: -32603 },
  toolErrors: new Set<FailureKind>([
    'prompt-not-found',
    'missing-argument',
    'content-missing',
    'render-failed',
    'tool-failed',
    'unavailable',
  ]),
};
