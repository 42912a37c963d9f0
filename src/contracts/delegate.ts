import type { Contract } from './contract.ts';
import { standard, toolItem } from './standard.ts';

/** Sub-agents: three tools that return failures as results, never as errors. */
export const delegate: Contract = {
  ...standard,
  name: 'delegate',
  server: { name: 'codex-specialized-subagents', version: '0.1.0' },
  modern: false,
  failureDetails: false,
  methods: new Set(['initialize', 'ping', 'logging/setLevel', 'tools/list', 'tools/call']),
  tools: new Set(['delegate_run', 'delegate_resume', 'delegate_autopilot']),
  capabilities: () => ({ logging: {}, tools: { listChanged: true } }),
  toolItem,
  initialized: ({ instructions: _, ...result }) => result,
};
