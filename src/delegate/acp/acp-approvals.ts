import type { JsonObject } from '../../json.ts';
import { type ApprovalAnswer, type ApprovalRequest, approvalDecisions } from '../session/approval.ts';
import type { Message } from '../session/json-peer.ts';
import { commandOf, diffOf, objects, type ToolCall } from './acp-events.ts';

const maxDiffChars = 64 * 1024;

/** Translates `session/request_permission`. */
export function toApproval(id: string, call: ToolCall, params: Message, cwd: string): ApprovalRequest {
  const command = commandOf(call);
  const diff = diffOf(call)?.slice(0, maxDiffChars);
  const canRemember = objects(params['options']).some(({ kind }) => kind === 'allow_always');
  const decisions = approvalDecisions.filter((one) => one !== 'allow_run' || canRemember);
  if (command !== undefined) return { id, what: 'command', command, cwd, decisions };
  if (diff !== undefined) return { id, what: 'files', diff, decisions };
  const what = call.kind === 'fetch' ? 'network' : 'tool';
  return { id, what, tool: call.title || call.kind, decisions };
}

const kinds = {
  allow_once: ['allow_once', 'allow_always'],
  allow_run: ['allow_always', 'allow_once'],
  refuse: ['reject_once', 'reject_always'],
} as const;

/** The agent's own option for the answer. An agent without an option to refuse takes the request as cancelled. */
export function toOutcome(params: Message, { decision }: ApprovalAnswer): JsonObject {
  const options = objects(params['options']);
  for (const kind of kinds[decision]) {
    const option = options.find((one) => one['kind'] === kind);
    if (option !== undefined)
      return { outcome: { outcome: 'selected', optionId: String(option['optionId']) } };
  }
  return { outcome: { outcome: 'cancelled' } };
}
