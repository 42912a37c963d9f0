import { isObject, type JsonObject } from '../../json.ts';
import { type ApprovalAnswer, type ApprovalRequest, approvalDecisions } from '../session/approval.ts';
import type { Message } from '../session/json-peer.ts';
import { objects, unwrapShell } from './app-server-events.ts';

const maxDiffChars = 64 * 1024;

/** Translates a request of `codex app-server` for permission. `item` is the item that it is about, as it was announced. */
export function toApproval(
  id: string,
  method: string,
  params: Message,
  item: Message | undefined,
): ApprovalRequest | undefined {
  const reason = typeof params['reason'] === 'string' ? { reason: params['reason'] } : {};
  const common = { id, decisions: approvalDecisions, ...reason };
  const cwd = typeof params['cwd'] === 'string' ? { cwd: params['cwd'] } : {};
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const { command, networkApprovalContext: network } = params;
      const host = isObject(network) ? { host: `${network['protocol']}://${network['host']}` } : {};
      return {
        ...common,
        what: 'host' in host ? 'network' : 'command',
        ...(typeof command === 'string' && { command: unwrapShell(command) }),
        ...cwd,
        ...host,
      };
    }
    case 'item/fileChange/requestApproval': {
      const changes = objects(item?.['changes']);
      const diff = changes.map(({ path, diff }) => `${path}\n${diff}`).join('\n');
      return { ...common, what: 'files', ...(diff !== '' && { diff: diff.slice(0, maxDiffChars) }) };
    }
    case 'item/permissions/requestApproval': {
      const wanted = JSON.stringify(params['permissions']);
      return { ...common, what: 'permissions', ...cwd, reason: [params['reason'], wanted].join(' ').trim() };
    }
    default:
      return undefined;
  }
}

/** The response to a request for permission. */
export function toResponse(method: string, params: Message, { decision }: ApprovalAnswer): JsonObject {
  if (method === 'item/permissions/requestApproval')
    return {
      permissions: decision === 'refuse' ? {} : (params['permissions'] as JsonObject),
      scope: decision === 'allow_run' ? 'session' : 'turn',
    };
  const decisions = { allow_once: 'accept', allow_run: 'acceptForSession', refuse: 'decline' };
  return { decision: decisions[decision] };
}
