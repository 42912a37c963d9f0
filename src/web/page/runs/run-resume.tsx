import { useState } from 'preact/hooks';
import { Problem } from '../controls/problem.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { useLaunch } from './run-launch.ts';
import type { RunOverview } from './run-record.ts';

/** Resumes the thread of a finished run, optionally with a new task. */
export function RunResume({ run, threadId }: { run: RunOverview; threadId: string }) {
  const { busy, problem, launch } = useLaunch();
  const [task, setTask] = useState('');
  const resume = (event: Event) => {
    event.preventDefault();
    return launch('delegate_resume', {
      thread_id: threadId,
      cwd: run.cwd,
      ...(task.trim() !== '' && { task }),
    });
  };
  return (
    <form class="resume" onSubmit={resume}>
      <label>
        <span class="hidden">Next task</span>
        <input
          value={task}
          placeholder="Next task (optional)"
          onInput={(event) => setTask(event.currentTarget.value)}
        />
      </label>
      <ChangeButton type="submit" disabled={busy}>
        {busy ? 'Resuming…' : 'Resume run'}
      </ChangeButton>
      <Problem text={problem} />
    </form>
  );
}
