import { useState } from 'preact/hooks';
import { pathTo } from './route.ts';
import { asError, useConnection } from './server-connection.tsx';

const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'];

/** Starts a run and goes to it as soon as it has a name. */
export function RunStart() {
  const { client } = useConnection();
  const [task, setTask] = useState('');
  const [cwd, setCwd] = useState('');
  const [sandbox, setSandbox] = useState(sandboxes[0]!);
  const [tool, setTool] = useState('delegate_run');
  const [state, setState] = useState<'ready' | 'starting' | string>('ready');
  const start = async (event: Event) => {
    event.preventDefault();
    setState('starting');
    const known = new Set(
      (await client.tool<{ runs: { run_id: string }[] }>('list_runs', { limit: 500 })).runs.map(
        ({ run_id }) => run_id,
      ),
    );
    // The call itself lasts as long as the run; the run is found by its appearance in the list.
    const call = client.tool(tool, { task, cwd, sandbox, skip_git_repo_check: true });
    let failed = false;
    call.catch((error) => {
      failed = true;
      setState(asError(error).message);
    });
    while (!failed) {
      const { runs } = await client.tool<{ runs: { run_id: string }[] }>('list_runs', { limit: 500 });
      const fresh = runs.find(({ run_id }) => !known.has(run_id));
      if (fresh) {
        location.hash = pathTo('runs', fresh.run_id);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  return (
    <form class="editor" onSubmit={start}>
      <h1>New run</h1>
      <label>
        Task
        <textarea rows={6} required value={task} onInput={(event) => setTask(event.currentTarget.value)} />
      </label>
      <label>
        Working folder
        <input
          required
          value={cwd}
          placeholder="/path/to/project"
          onInput={(event) => setCwd(event.currentTarget.value)}
        />
      </label>
      <label>
        Sandbox
        <select value={sandbox} onChange={(event) => setSandbox(event.currentTarget.value)}>
          {sandboxes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Kind
        <select value={tool} onChange={(event) => setTool(event.currentTarget.value)}>
          <option value="delegate_run">One sub-agent</option>
          <option value="delegate_autopilot">Autopilot: plan and run several</option>
        </select>
      </label>
      {state !== 'ready' && state !== 'starting' && (
        <p class="problem" role="alert">
          {state}
        </p>
      )}
      <button type="submit" class="primary" disabled={state === 'starting'}>
        {state === 'starting' ? 'Starting…' : 'Start'}
      </button>
    </form>
  );
}
