import type { Contract } from './contract.ts';
import { codes, standard } from './standard.ts';

/** Editable JSONL prompts, with extra methods to create, update and delete them. */
export const jsonl: Contract = {
  ...standard,
  name: 'jsonl',
  server: { name: 'hexai-mcp-server', version: '0.19.0' },
  modern: false,
  failureDetails: false,
  methods: new Set([
    'initialize',
    'ping',
    'prompts/list',
    'prompts/get',
    'prompts/create',
    'prompts/update',
    'prompts/delete',
  ]),
  pageSize: 100,

  negotiate: () => '2025-06-18',
  capabilities: () => ({ prompts: { listChanged: false, mutable: true } }),
  initialized: ({ instructions: _, ...result }) => result,

  // An invalid cursor starts from the beginning.
  startOf: (cursor) => (typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0),
  nextCursor: (next) => ({ nextCursor: next ?? '' }),

  promptItem: (prompt) => {
    const { inputSchema: _, _meta, ...item } = standard.promptItem(prompt);
    return item;
  },
  prompt: ({ meta: _, ...rendered }) => standard.prompt(rendered),

  codes: { ...codes, conflict: -32603, refused: -32603 },

  error(failure, code, method) {
    const verb = method.startsWith('prompts/') ? method.slice('prompts/'.length) : '';
    const missing = failure.issues.find(
      ({ keyword, path }) => path.length === 1 && (keyword === 'required' || keyword.startsWith('min')),
    );
    const named = missing && requiredTexts[String(missing.path[0])];
    if (failure.kind === 'invalid-params' && failure.issues.length > 0) {
      if (verb === 'get' && missing?.path[0] === 'name') return { code, message: 'Missing prompt name' };
      return { code, message: named ?? `Invalid ${method} params: ${failure.message}` };
    }
    if (failure.kind === 'missing-argument') return { code, message: lowerFirst(failure.message) };
    if (failure.kind === 'method-not-found') return { code, message: `Method not found: ${method}` };
    if (code === codes.internal && verb)
      return { code, message: `Failed to ${verb} prompt: ${failure.message}` };
    return { code, message: failure.message };
  },
};

const requiredTexts: Readonly<Record<string, string>> = {
  name: 'Prompt name is required',
  title: 'Prompt title is required',
  messages: 'At least one message is required',
};

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
