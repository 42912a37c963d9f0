import { useActions } from '../shared/actions.tsx';
import { useInbox } from '../shared/inbox.tsx';
import { ApprovalCard, answerLabels } from './approval-card.tsx';
import type { RunRecord } from './run-record.ts';

interface Props {
  readonly request: NonNullable<RunRecord['approvals']>[number];
  readonly run_id: string;
  readonly hasKeys: boolean;
}

/** A request of a run that is shown. */
export function RunApproval({ request, run_id, hasKeys }: Props) {
  const { client, invalidate, act } = useActions();
  const { value: inbox } = useInbox();
  const { id: approval_id, job, what, asked_at, expires_at, decisions } = request;
  const asking = request.run_id ?? run_id;
  const item = inbox?.items.find(
    (one) => one.request?.run_id === asking && one.request.approval_id === approval_id,
  );
  const answer = (label: string, reason: string) =>
    act(async () => {
      const decision = decisions.find((one) => answerLabels[one] === label)!;
      await client.tool('answer_approval', {
        ...{ run_id: asking, approval_id, decision },
        ...(reason && { reason }),
      });
      invalidate('resources');
      return { text: decision === 'refuse' ? 'Refused.' : 'Allowed.' };
    });
  return (
    <ApprovalCard
      {...{ hasKeys, answer }}
      request={{ ...request, gains: item?.request?.gains }}
      title={approvalTitles[what]}
      about={job === undefined ? 'The agent of this run' : `Job ${job}`}
      id={`${asking} ${approval_id}`}
      since={asked_at}
      until={expires_at}
      answers={decisions.map((decision) => answerLabels[decision])}
    />
  );
}

const approvalTitles = {
  command: 'Allow this command?',
  files: 'Allow these changes?',
  network: 'Allow this connection?',
  tool: 'Allow this tool?',
  permissions: 'Allow more permissions?',
} as const;
