import { useState } from 'preact/hooks';
import { FolderField } from '../controls/folder-field.tsx';
import { Problem } from '../controls/problem.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { useLaunch } from './run-launch.ts';
import { useRuns } from './run-list.ts';

const sandboxes = {
  'read-only': 'Only read files',
  'workspace-write': 'Change files in the working folder',
  'danger-full-access': 'No restrictions',
} as const;

/** The form that starts a new run. */
export function RunStart() {
  const { busy, problem, launch } = useLaunch();
  const [task, setTask] = useState('');
  const [cwd, setCwd] = useState('');
  const [sandbox, setSandbox] = useState<keyof typeof sandboxes>('read-only');
  const [agent, setAgent] = useState('');
  const [model, setModel] = useState('');
  const [effort, setEffort] = useState('');
  const folders = [...new Set((useRuns().value ?? []).map((run) => run.cwd))].slice(0, 20);
  const [tool, setTool] = useState<'delegate_run' | 'delegate_autopilot'>('delegate_run');
  const start = (event: Event) => {
    event.preventDefault();
    return launch(tool, {
      task,
      cwd,
      sandbox,
      ...(agent && { agent }),
      ...(model && { model }),
      ...(effort && { reasoning_effort: effort }),
    });
  };
  return (
    <form class="editor" onSubmit={start}>
      <h1>New run</h1>
      <p class="quiet">
        A <dfn>sub-agent</dfn> works on the task in the background. You can watch the run, write to it and
        cancel it. The <dfn>agent</dfn> is the program that does the work, such as Codex or Claude Code.
      </p>
      <label>
        Task
        <textarea
          rows={6}
          required
          value={task}
          placeholder="Describe the task. Start with :name to use a saved prompt."
          onInput={(event) => setTask(event.currentTarget.value)}
        />
      </label>
      <FolderField value={cwd} change={setCwd} list="recent-folders" hint="A folder on the server's machine.">
        <datalist id="recent-folders">
          {folders.map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
      </FolderField>
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
          Type
          <select value={tool} onChange={(event) => setTool(event.currentTarget.value as typeof tool)}>
            <option value="delegate_run">Single sub-agent</option>
            <option value="delegate_autopilot">Autopilot: several sub-agents</option>
          </select>
        </label>
      </div>
      <p class="quiet hint">
        The <dfn>sandbox</dfn> limits which files the sub-agent can change, and whether it can use the
        network. The <dfn>autopilot</dfn> splits the task into jobs for several sub-agents and combines their
        results.
      </p>
      <div class="fields">
        <OptionalField label="Agent" value={agent} set={setAgent} example="codex, claude" />
        <OptionalField label="Model" value={model} set={setModel} />
        <OptionalField label="Reasoning effort" value={effort} set={setEffort} example="high" />
      </div>
      <Problem text={problem} />
      <ChangeButton type="submit" class="primary" disabled={busy}>
        {busy ? 'Starting…' : 'Start run'}
      </ChangeButton>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly example?: string;
  set(value: string): void;
}

function OptionalField({ label, value, example, set }: FieldProps) {
  return (
    <label>
      {label}
      <input
        value={value}
        placeholder={example ? `as configured, or ${example}` : 'as configured'}
        spellcheck={false}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}
