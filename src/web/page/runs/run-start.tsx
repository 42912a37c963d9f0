import type { ToolAnswer } from '../../../api.ts';
import { Button, FolderField, SelectField, TextArea, TextField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { ActionForm } from '../shared/actions.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { useTool } from '../shared/server-connection.tsx';
import { useLaunch } from './run-launch.ts';

const sandboxes = {
  'read-only': 'Only read files',
  'workspace-write': 'Change files in the working folder',
  'danger-full-access': 'No restrictions',
} as const;

const types = {
  delegate_run: 'Single sub-agent',
  delegate_compare: 'Comparison of several agents',
  delegate_autopilot: 'Autopilot: several sub-agents',
} as const;

/** What becomes of the changes, which the sub-agent makes in a copy of the folder. */
const applyModes = {
  '': 'As configured',
  auto: 'Apply them at the end',
  ask: 'Keep them until I have reviewed them',
  branch: 'Commit them to a branch of their own',
} as const;

interface Candidate {
  readonly agent: string;
  readonly model: string;
}

const noCandidate: Candidate = { agent: '', model: '' };
const [minCandidates, maxCandidates] = [2, 8];

/** The form that starts a new run. */
export function RunStart({ folders }: { readonly folders: readonly string[] }) {
  const { launch } = useLaunch();
  const draft = useDraft('run', '', () => ({
    ...{ task: '', cwd: '', agent: '', model: '', effort: '', checks: '' },
    sandbox: 'read-only' as keyof typeof sandboxes,
    apply: '' as keyof typeof applyModes,
    tool: 'delegate_run' as keyof typeof types,
    candidates: [noCandidate, noCandidate] as readonly Candidate[],
  }));
  const { fields, field, set } = draft;
  const agents = useAgents();
  const models = useTool('run_statistics', { days: 365 }).value?.model.map(({ key }) => key) ?? [];
  const compares = fields.tool === 'delegate_compare';
  const start = async () => {
    const { task, cwd, sandbox, agent, model, effort, tool, apply, checks, candidates } = fields;
    const what = { task, cwd, sandbox };
    const effortOf = effort && { reasoning_effort: effort };
    if (tool === 'delegate_compare') {
      const commands = checks.split('\n').filter((line) => line.trim() !== '');
      return launch(tool, {
        ...what,
        candidates: candidates.map((one) => ({
          ...(one.agent && { agent: one.agent }),
          ...(one.model && { model: one.model }),
          ...effortOf,
        })),
        ...(commands.length > 0 && { checks: commands }),
      });
    }
    return launch(tool, {
      ...what,
      ...(apply && sandbox !== 'read-only' && { apply }),
      ...(agent && { agent }),
      ...(model && { model }),
      ...effortOf,
    });
  };
  return (
    <ActionForm
      tool={fields.tool}
      action={compares ? 'Start comparison' : 'Start run'}
      doing="Starting…"
      draft={draft}
      submit={start}
    >
      <h1>New run</h1>
      <p class="quiet">
        A <dfn>sub-agent</dfn> works on the task in the background. You can watch the run, write to it and
        cancel it. The <dfn>agent</dfn> is the program that does the work, such as Codex or Claude Code.
      </p>
      <TextArea
        label="Task"
        rows={6}
        required
        placeholder="Describe the task. Start with :name to use a saved prompt."
        {...field('task')}
      />
      <FolderField known={folders} hint="A folder on the server's machine." {...field('cwd')} />
      <div class="fields">
        <SelectField label="Sandbox" options={sandboxes} {...field('sandbox')} />
        <SelectField label="Type" options={types} {...field('tool')} />
        {!compares && fields.sandbox !== 'read-only' && (
          <SelectField label="Changes" options={applyModes} {...field('apply')} />
        )}
      </div>
      <p class="quiet hint">
        The <dfn>sandbox</dfn> limits which files the sub-agent can change, and whether it can use the
        network. A sub-agent that changes files works in a copy of the folder. The <dfn>autopilot</dfn> splits
        the task into jobs for several sub-agents and combines their results. In a comparison, each candidate
        keeps its changes until you apply those of one.
      </p>
      {compares ? (
        <>
          <Candidates {...{ agents, all: fields.candidates }} change={(candidates) => set({ candidates })} />
          <TextArea
            label="Checks"
            rows={2}
            placeholder="npm test"
            hint="Commands that a good result passes, one per line."
            {...field('checks')}
          />
        </>
      ) : (
        <div class="fields">
          <SelectField label="Agent" options={agents} {...field('agent')} />
          <TextField
            label="Model"
            placeholder="as configured"
            spellcheck={false}
            list="known-models"
            {...field('model')}
          />
        </div>
      )}
      <datalist id="known-models">
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label="Reasoning effort"
        placeholder="as configured"
        spellcheck={false}
        list="known-efforts"
        {...field('effort')}
      />
      <datalist id="known-efforts">
        {['low', 'medium', 'high'].map((level) => (
          <option key={level} value={level} />
        ))}
      </datalist>
    </ActionForm>
  );
}

type Agent = ToolAnswer<'list_agents'>['agents'][number];

/** The agents of the server as options: those that are ready first, the others with what they lack. */
export function useAgents(): readonly (readonly [string, string])[] {
  const { value } = useTool('list_agents', {});
  const all = value?.agents ?? [];
  const isReady = ({ program, signed_in }: Agent) => program !== null && signed_in !== false;
  return [
    ['', value ? `As configured (${value.default})` : 'As configured'],
    ...all
      .filter(isReady)
      .map(({ name, version }) => [name, [name, version].filter(Boolean).join(' ')] as const),
    ...all
      .filter((one) => !isReady(one))
      .map(
        ({ name, program }) =>
          [name, `${name}: ${program === null ? 'not installed' : 'not signed in'}`] as const,
      ),
  ];
}

interface CandidatesProps {
  readonly agents: readonly (readonly [string, string])[];
  readonly all: readonly Candidate[];
  change(all: readonly Candidate[]): void;
}

/** The agents and models that get the same task. */
function Candidates({ agents, all, change }: CandidatesProps) {
  const set = (at: number, fields: Partial<Candidate>) => change(all.with(at, { ...all[at]!, ...fields }));
  return (
    <fieldset>
      <legend>Candidates</legend>
      {all.map(({ agent, model }, at) => (
        <div key={at} class="candidate">
          <SelectField
            label={`Agent ${at + 1}`}
            value={agent}
            options={agents}
            change={(value) => set(at, { agent: value })}
          />
          <TextField
            label={`Model ${at + 1}`}
            placeholder="as configured"
            spellcheck={false}
            list="known-models"
            value={model}
            change={(value) => set(at, { model: value })}
          />
          <Button
            class="plain only"
            aria-label={`Remove candidate ${at + 1}`}
            title="Remove"
            disabled={all.length <= minCandidates}
            onClick={() => change(all.toSpliced(at, 1))}
          >
            <Icon name="cross" />
          </Button>
        </div>
      ))}
      <Button
        class="small"
        disabled={all.length >= maxCandidates}
        onClick={() => change([...all, noCandidate])}
      >
        Add candidate
      </Button>
    </fieldset>
  );
}
