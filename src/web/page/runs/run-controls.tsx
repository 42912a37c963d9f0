import { useState } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';
import type { RunRecord } from './run-record.ts';

/** What a person can do with a run in progress: answer its agent, send it a message, interrupt or cancel it. */
export function RunControls({ run }: { run: RunRecord }) {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const [message, setMessage] = useState('');
  const send = (work: Promise<unknown>, done: string) =>
    work.then(
      () => {
        toast({ text: done });
        invalidate('resources');
        return true;
      },
      (error) => {
        toast({ text: asError(error).message });
        return false;
      },
    );
  const jobs = run.autopilot?.jobs.filter(({ status }) => status === 'running');
  const [chosen, setChosen] = useState('');
  // The agents of an autopilot are those of its jobs.
  const run_id = (jobs?.find((job) => job.run_id === chosen) ?? jobs?.[0])?.run_id ?? run.run_id;
  const steer = async (event: Event) => {
    event.preventDefault();
    const sent = await send(client.tool('steer_run', { run_id, message }), 'The agent has the message.');
    // A message that did not arrive stays in the field.
    if (sent) setMessage('');
  };
  return (
    <>
      {run.approvals?.map((request) => (
        <ApprovalForm
          key={`${request.run_id} ${request.id}`}
          request={request}
          answer={(decision, reason) =>
            send(
              client.tool('answer_approval', {
                run_id: request.run_id ?? run_id,
                approval_id: request.id,
                decision,
                ...(reason && { reason }),
              }),
              decision === 'refuse' ? 'Refused.' : 'Allowed.',
            )
          }
        />
      ))}
      <form class="resume" onSubmit={steer}>
        {jobs !== undefined && jobs.length > 1 && (
          <label>
            <span class="hidden">Job</span>
            <select value={run_id} onChange={(event) => setChosen(event.currentTarget.value)}>
              {jobs.map((job) => (
                <option key={job.id} value={job.run_id}>
                  {job.title}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span class="hidden">Message to the agent</span>
          <input
            value={message}
            placeholder="Message to the agent"
            required
            onInput={(event) => setMessage(event.currentTarget.value)}
          />
        </label>
        <ChangeButton type="submit">Send</ChangeButton>
        <ChangeButton
          type="button"
          onClick={() => send(client.tool('steer_run', { run_id, interrupt: true }), 'Run interrupted.')}
        >
          Interrupt
        </ChangeButton>
        <ChangeButton
          type="button"
          class="danger"
          onClick={() => send(client.tool('cancel_run', { run_id: run.run_id }), 'Run cancelled.')}
        >
          Cancel run
        </ChangeButton>
      </form>
    </>
  );
}

type ApprovalRequest = NonNullable<RunRecord['approvals']>[number];
type Decision = ApprovalRequest['decisions'][number];

const labels: Readonly<Record<Decision, string>> = {
  allow_once: 'Allow once',
  allow_run: 'Allow for this run',
  refuse: 'Refuse',
};

interface FormProps {
  readonly request: ApprovalRequest;
  answer(decision: Decision, reason: string): void;
}

/** What the agent asks permission for, and the possible answers. */
function ApprovalForm({ request, answer }: FormProps) {
  const [reason, setReason] = useState('');
  const subject = request.command ?? request.diff ?? request.host ?? request.tool;
  return (
    <section class="box approval" aria-label="Permission request" role="alert">
      <h2>{request.job === undefined ? 'The agent' : `Job ${request.job}`} asks for permission</h2>
      {request.reason && <p>{request.reason}</p>}
      {subject !== undefined && <pre>{subject}</pre>}
      <label>
        Reason, if you refuse
        <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <p class="buttons">
        {request.decisions.map((decision) => (
          <ChangeButton
            key={decision}
            type="button"
            class={decision === 'refuse' ? 'danger' : ''}
            onClick={() => answer(decision, reason)}
          >
            {labels[decision]}
          </ChangeButton>
        ))}
      </p>
      <p class="quiet">Without an answer, it is refused at {shortTime(request.expires_at)}.</p>
    </section>
  );
}
