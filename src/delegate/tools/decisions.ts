import type { Decisions, Outreach } from '../../outreach.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import { contentOf, findApprovers, type NewsOptions } from '../run/approvers.ts';
import { requestKey } from '../run/run-events.ts';

/** How requests are listed and answered: by the tools, so that each decision is in the security log. */
export interface DecisionCalls {
  list(): Promise<readonly (PendingApproval & { readonly run_id: string })[]>;
  answer(request: DecisionCall, by: string): Promise<unknown>;
  /** Records a decision that the person may not make. */
  deny(request: DecisionCall, by: string): void;
}

type DecisionCall = { run_id: string; approval_id: string; decision: 'allow_once' | 'refuse' };

/** Requests for permission, for the links in messages. */
export function createDecisions(calls: DecisionCalls, news: NewsOptions, outreach: Outreach): Decisions {
  const find = async (subject: string) =>
    (await calls.list()).find(
      ({ run_id, id, expires_at }) =>
        requestKey(run_id, id) === subject && Date.now() < Date.parse(expires_at),
    );
  return {
    async find(subject) {
      const request = await find(subject);
      if (request === undefined) return undefined;
      const { what, command, diff, host, tool, arguments: args, cwd, reason, decisions } = request;
      const details = [command, diff, host, tool, args].filter((part) => part !== undefined);
      return {
        content: contentOf(request),
        what,
        details: details.join('\n\n'),
        canBeAllowed: decisions.includes('allow_once'),
        ...(cwd !== undefined && { folder: cwd }),
        ...(reason !== undefined && { reason }),
      };
    },
    async mayAllow(person) {
      const people = await findApprovers({ ...news, notify: 'me' }, outreach);
      return people.some((one) => one.person === person && one.mayAllow);
    },
    async decide(subject, decision, by) {
      await calls.answer(callOf(subject, decision), by);
    },
    deny: (subject, by) => calls.deny(callOf(subject, 'allow'), by),
  };
}

function callOf(subject: string, decision: 'allow' | 'refuse'): DecisionCall {
  const [, run_id = '', approval_id = ''] = /^run\/(.+)\/approval\/([^/]+)$/.exec(subject) ?? [];
  return { run_id, approval_id, decision: decision === 'allow' ? 'allow_once' : 'refuse' };
}
