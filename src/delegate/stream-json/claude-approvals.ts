import { isObject, type JsonObject } from '../../json.ts';
import { type ApprovalAnswer, type ApprovalRequest, approvalDecisions } from '../session/approval.ts';
import type { Fields } from './claude-events.ts';

const maxDiffChars = 64 * 1024;

/** Translates `can_use_tool`. */
export function toApproval(id: string, request: Fields): ApprovalRequest {
  const input = isObject(request['input']) ? request['input'] : {};
  const tool = String(request['tool_name']);
  const text = (name: string) => (typeof input[name] === 'string' ? input[name] : undefined);
  const hasSuggestions = Array.isArray(request['permission_suggestions']);
  const decisions = approvalDecisions.filter((one) => one !== 'allow_run' || hasSuggestions);
  const about = { id, decisions };
  const reason = text('description');
  const why = reason === undefined ? {} : { reason };
  const command = text('command');
  if (command !== undefined) return { ...about, what: 'command', command, ...why };
  const path = text('file_path') ?? text('notebook_path');
  if (path !== undefined && tool !== 'Read')
    return { ...about, what: 'files', diff: toDiff(path, input).slice(0, maxDiffChars), tool };
  const url = text('url');
  if (url !== undefined) return { ...about, what: 'network', host: hostOf(url), tool };
  return { ...about, what: 'tool', tool, ...why };
}

function toDiff(path: string, input: Fields): string {
  const lines = (name: string, sign: string) =>
    typeof input[name] === 'string' ? input[name].split('\n').map((line) => sign + line) : [];
  return [
    `--- ${path}`,
    `+++ ${path}`,
    ...lines('old_string', '-'),
    ...lines('new_string', '+'),
    ...lines('content', '+'),
  ].join('\n');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The answer to `can_use_tool`. Permissions for the whole run are kept in the session, not in the user's settings. */
export function toPermission(request: Fields, { decision, reason }: ApprovalAnswer): JsonObject {
  if (decision === 'refuse')
    return { behavior: 'deny', message: reason ?? 'The user refused this request. Continue without it.' };
  const suggestions = Array.isArray(request['permission_suggestions'])
    ? request['permission_suggestions']
    : [];
  const updatedPermissions = suggestions
    .filter(isObject)
    .map((suggestion) => ({ ...suggestion, destination: 'session' }) as JsonObject);
  return {
    behavior: 'allow',
    updatedInput: (isObject(request['input']) ? request['input'] : {}) as JsonObject,
    ...(decision === 'allow_run' && { updatedPermissions }),
  };
}
