const text = { type: 'string' } as const;
const change = { enum: ['added', 'modified', 'deleted'] } as const;

/** The changes that the server observed, as `src/delegate/changes/evidence.ts` explains them. */
export const evidenceSchema = {
  type: 'object',
  required: ['method', 'complete', 'files', 'omitted'],
  properties: {
    method: { enum: ['git', 'walk'] },
    complete: { type: 'boolean' },
    files: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'status'],
        properties: {
          path: text,
          status: { enum: ['verified', 'missing', 'unchanged', 'unreported', 'unchecked'] },
          change,
        },
      },
    },
    omitted: { type: 'integer' },
    changed_during_run: {
      type: 'array',
      items: { type: 'object', required: ['path', 'change'], properties: { path: text, change } },
    },
    checks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['command', 'status', 'exit_code', 'output'],
        properties: {
          command: text,
          status: { enum: ['passed', 'failed', 'timed-out', 'refused'] },
          exit_code: { anyOf: [{ type: 'number' }, { type: 'null' }] },
          output: text,
        },
      },
    },
  },
} as const;
