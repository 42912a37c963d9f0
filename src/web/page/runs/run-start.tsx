import { useState } from 'preact/hooks';
import { useLaunch } from './run-launch.ts';

const sandboxes = {
  'read-only': 'read-only: it may look',
  'workspace-write': 'workspace-write: it may write there',
  'danger-full-access': 'danger-full-access: it may do anything',
} as const;

/** Starts a run and goes to it. */
export function RunStart() {
  const { busy, problem, begin } = useLaunch();
  const [task, setTask] = useState('');
  const [cwd, setCwd] = useState('');
  const [sandbox, setSandbox] = useState<keyof typeof sandboxes>('read-only');
  const [tool, setTool] = useState<'delegate_run' | 'delegate_autopilot'>('delegate_run');
  const start = (event: Event) => {
    event.preventDefault();
    return begin(tool, { task, cwd, sandbox });
  };
  return (
    <form class="editor" onSubmit={start}>
      <h1>New run</h1>
      <p class="quiet">
        A sub-agent works on the task with a context of its own. The run can be watched and cancelled.
      </p>
      <label>
        Task
        <textarea
          rows={6}
          required
          value={task}
          placeholder="What to do. :name at the beginning takes the text from that prompt."
          onInput={(event) => setTask(event.currentTarget.value)}
        />
      </label>
      <label>
        Working folder
        <input
          required
          value={cwd}
          placeholder="/path/to/project"
          spellcheck={false}
          onInput={(event) => setCwd(event.currentTarget.value)}
        />
        <small>On the machine of the server.</small>
      </label>
      <div class="fields">
        <label>
          Sandbox
          <select
            value={sandbox}
            onChange={(event) => setSandbox(event.currentTarget.value as typeof sandbox)}
          >
            {Object.entries(sandboxes).map(([one, title]) => (
              <option key={one} value={one}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Kind
          <select value={tool} onChange={(event) => setTool(event.currentTarget.value as typeof tool)}>
            <option value="delegate_run">One sub-agent</option>
            <option value="delegate_autopilot">Autopilot: plan and run several</option>
          </select>
        </label>
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary" disabled={busy}>
        {busy ? 'Starting…' : 'Start'}
      </button>
    </form>
  );
}
