import { useState } from 'preact/hooks';
import { pathTo } from './route.ts';
import { launch } from './run-launch.ts';
import type { RunOverview } from './run-record.ts';
import { asError, useConnection } from './server-connection.tsx';

/** Lets the thread of a run go on from where it ended, with something more to do or without. */
export function RunResume({ run }: { run: RunOverview }) {
  const { client, touch } = useConnection();
  const [task, setTask] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const resume = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const id = await launch(client, 'delegate_resume', {
        thread_id: run.subagent_thread_id,
        cwd: run.cwd,
        ...(task.trim() !== '' && { task }),
      });
      touch('resources');
      location.hash = pathTo('runs', id);
    } catch (error) {
      setProblem(asError(error).message);
      setBusy(false);
    }
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
