import { useState } from 'preact/hooks';
import { useLaunch } from './run-launch.ts';
import type { RunOverview } from './run-record.ts';

/** Lets the thread of a run go on from where it ended, with something more to do or without. */
export function RunResume({ run, threadId }: { run: RunOverview; threadId: string }) {
  const { busy, problem, begin } = useLaunch();
  const [task, setTask] = useState('');
  const resume = (event: Event) => {
    event.preventDefault();
    return begin('delegate_resume', {
      thread_id: threadId,
      cwd: run.cwd,
      ...(task.trim() !== '' && { task }),
    });
  };
  return (
    <form class="resume" onSubmit={resume}>
      <label>
        <span class="hidden">What to do next</span>
        <input
          value={task}
          placeholder="What to do next, if anything"
          onInput={(event) => setTask(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={busy}>
        {busy ? 'Resuming…' : 'Resume from here'}
      </button>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
