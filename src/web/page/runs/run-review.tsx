import { useState } from 'preact/hooks';
import { Problem } from '../controls/problem.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { RunArtifact } from './run-artifact.tsx';
import { useLaunch } from './run-launch.ts';
import { isOpen, type RunOverview } from './run-record.ts';

/** The changes of a run, file by file: comment on them, send the comments back as the next task, or revert a file. */
export function RunReview({ overview }: { overview: RunOverview }) {
  const { run_id, cwd, status, subagent_thread_id: thread } = overview;
  const [comments, setComments] = useState<Readonly<Record<string, string>>>({});
  const { busy, problem, launch } = useLaunch();
  const written = Object.entries(comments).filter(([, comment]) => comment.trim() !== '');
  const canComment = !isOpen(status) && thread && overview.host === undefined;
  const send = () =>
    launch('delegate_resume', {
      thread_id: thread!,
      cwd,
      task: `Revise your changes:\n${written.map(([path, comment]) => `- ${path}: ${comment.trim()}`).join('\n')}`,
    });
  const footer = (path: string) => (
    <div class="review">
      {canComment && (
        <label>
          <span class="hidden">Comment on {path}</span>
          <textarea
            rows={1}
            placeholder="Comment for the agent"
            value={comments[path] ?? ''}
            onInput={({ currentTarget: { value } }) => setComments((now) => ({ ...now, [path]: value }))}
          />
        </label>
      )}
      {!isOpen(status) && <RevertFile runId={run_id} path={path} />}
    </div>
  );
  return (
    <>
      <RunArtifact runId={run_id} name="changes.patch" file={footer} />
      {written.length > 0 && (
        <ChangeButton type="button" class="primary" disabled={busy} onClick={send}>
          Send {written.length} comment{written.length === 1 ? '' : 's'} as the next task
        </ChangeButton>
      )}
      <Problem text={problem} />
    </>
  );
}

function RevertFile({ runId, path }: { runId: string; path: string }) {
  const { client } = useConnection();
  const toast = useToast();
  const revert = () =>
    client.tool('undo_run', { run_id: runId, paths: [path] }).then(
      ({ conflicts: [conflict] }) =>
        toast({ text: conflict ? `${path} stays as it is: ${conflict.reason}.` : `${path} was reverted.` }),
      (error) => toast({ text: asError(error).message }),
    );
  return (
    <ChangeButton type="button" class="small" onClick={revert}>
      Revert this file
    </ChangeButton>
  );
}
