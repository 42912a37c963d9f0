import { approvalDecisions } from '../agents/protocols/approval.ts';

const text = { type: 'string' } as const;

/** A request of an agent that waits for a person. */
export const approvalSchema = {
  type: 'object',
  required: ['id', 'what', 'decisions', 'asked_at', 'expires_at'],
  properties: {
    id: text,
    run_id: { ...text, description: 'The job of an autopilot, for answer_approval' },
    job: { ...text, description: 'Its title' },
    what: { enum: ['command', 'files', 'network', 'tool', 'permissions'] },
    command: text,
    cwd: text,
    diff: text,
    host: text,
    tool: text,
    arguments: { ...text, description: 'As JSON' },
    reason: text,
    decisions: { type: 'array', items: { enum: approvalDecisions } },
    asked_at: text,
    expires_at: text,
  },
} as const;
