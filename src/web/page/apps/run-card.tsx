import { Icon } from '../controls/icon.tsx';
import { editedFiles } from '../runs/patch.ts';
import { RunApproval } from '../runs/run-approval.tsx';
import { duration, isOpen, type RunOverview, tokens } from '../runs/run-record.ts';
import { RunState } from '../runs/run-state.tsx';
import { type Step, stepsOf } from '../runs/run-steps.ts';
import { stepIcons } from '../runs/run-timeline.tsx';
import { countLines } from '../shared/diff-line.ts';
import { Counts } from '../shared/diff-table.tsx';
import { useConnection, useTicks, useTool } from '../shared/server-connection.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { ChatCard } from './chat-card.tsx';

const pollMs = 2_000;
/** How many steps the card shows, and of how many lines it makes them. */
const [shownSteps, readLines] = [3, 60];

/** A run in a few lines: its state, what it needs, and its last three steps or its result. */
export function RunCard({ overview, expand }: { readonly overview: RunOverview; expand(): void }) {
  const { run_id, status, task, duration_ms, usage } = overview;
  const { changes } = useConnection();
  const open = isOpen(status);
  const ticks = useTicks(open ? pollMs : undefined);
  const since = [status, changes.resources, ticks];
  const { value: run } = useTool('show_run', { run_id, full: true }, ...since);
  const { value: tail } = useTool('tail_run', { run_id, limit: readLines }, ...since);
  const steps = stepsOf(tail?.events ?? [], open).slice(-shownSteps);
  const spent = run?.usage ?? usage;
  const outcome = run?.autopilot?.aggregate ?? run;
  const problem = run?.error ?? overview.error;
  const [approval] = run?.approvals ?? [];
  return (
    <ChatCard title={task || run_id} expand={expand}>
      <p class="buttons quiet chat-facts">
        <RunState status={status} asks={(run?.approvals?.length ?? 0) > 0} />
        <span class="number">{duration(run?.timing.duration_ms ?? duration_ms)}</span>
        {spent && <span class="number">{tokens(spent)}</span>}
      </p>
      {approval && <RunApproval request={approval} run_id={run_id} hasKeys={false} />}
      {!open && problem && <p class="problem chat-text">{problem}</p>}
      {!open && !problem && outcome?.summary && <p class="chat-text">{outcome.summary}</p>}
      <ul class="chat-rows">
        {steps.map((step) => (
          <CardStep key={step.key} step={step} />
        ))}
      </ul>
    </ChatCard>
  );
}

function CardStep({ step }: { readonly step: Step }) {
  const { kind, text, output, open, failed, duration: lasted } = step;
  const edits = kind === 'edit' ? editedFiles(text, output) : [];
  const line = visibleText(
    edits.length > 0 ? edits.map(({ path }) => path).join(', ') : text.replace(/^\((.*)\)$/, '$1'),
  );
  return (
    <li class="row chat-row">
      <Icon name={stepIcons[kind]} />
      {kind === 'command' ? <code class="cut grow">{line}</code> : <span class="cut grow">{line}</span>}
      {output !== '' && edits.length > 0 && (
        <Counts {...countLines(edits.flatMap(({ hunks }) => hunks).flatMap(({ lines }) => lines))} />
      )}
      {open && <span class="spinner" role="img" aria-label="in progress" />}
      {failed ? (
        <span class="bad">failed</span>
      ) : (
        lasted !== undefined && <span class="quiet">{duration(lasted)}</span>
      )}
    </li>
  );
}
