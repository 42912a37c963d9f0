import type { Contract } from './contract.ts';
import { standard } from './standard.ts';

/** Sub-agents: three tools whose failures are results, never errors. */
export const delegate: Contract = {
  ...standard,
  name: 'delegate',
  server: { name: 'codex-specialized-subagents', version: '0.1.0' },
  modern: false,
  methods: new Set(['initialize', 'ping', 'logging/setLevel', 'tools/list', 'tools/call']),
  tools: new Set(['delegate_run', 'delegate_resume', 'delegate_autopilot']),
  capabilities: () => ({ logging: {}, tools: { listChanged: true } }),
  initialized: ({ instructions: _, ...result }) => result,
  failureMeta: () => undefined,
};
