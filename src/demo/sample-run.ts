import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

const task = 'Sample: look at the harbour, read the tides from a file, and compare the docs.';

const patch = `diff --git a/tides.js b/tides.js
--- a/tides.js
+++ b/tides.js
@@ -1,4 +1,6 @@
+import { readFileSync } from 'node:fs';
+
 export function nextTide(now) {
-  const tides = [6, 18];
-  return tides.find((hour) => hour > now);
+  const tides = readFileSync('tides.txt', 'utf8').split('\\n').map(Number);
+  return tides.find((hour) => hour > now) ?? tides[0];
 }
diff --git a/tides.txt b/tides.txt
new file mode 100644
--- /dev/null
+++ b/tides.txt
@@ -0,0 +1,2 @@
+6
+18
`;

interface SampleJob {
  readonly id: string;
  readonly title: string;
  readonly sandbox: string;
  readonly depends_on: readonly string[];
  /** Start and end in seconds after the start of the run. */
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  readonly summary: string;
  readonly deliverables?: readonly { readonly path: string; readonly description: string }[];
  readonly open_questions?: readonly string[];
  readonly next_actions?: readonly string[];
  readonly evidence?: readonly { readonly path: string; readonly status: string; readonly change?: string }[];
}

const jobs: readonly SampleJob[] = [
  {
    id: 'look',
    title: 'Look at the harbour',
    sandbox: 'read-only',
    depends_on: [],
    from: 4,
    to: 15,
    tokens: 6_200,
    summary: 'There is one function, it has no test, and the tides are hard-coded.',
  },
  {
    id: 'tides',
    title: 'Read the tides from a file',
    sandbox: 'workspace-write',
    depends_on: ['look'],
    from: 15,
    to: 47,
    tokens: 14_800,
    summary:
      'The tides are now read from a file, and the last tide of a day is followed by the first of the next day.',
    deliverables: [
      { path: 'tides.js', description: 'Reads the file' },
      { path: 'tides.txt', description: 'The tides of a day' },
    ],
    next_actions: ['Review the change'],
    evidence: [
      { path: 'tides.js', status: 'verified', change: 'modified' },
      { path: 'tides.txt', status: 'verified', change: 'added' },
    ],
  },
  {
    id: 'docs',
    title: 'Compare the docs',
    sandbox: 'read-only',
    depends_on: ['look'],
    from: 15,
    to: 29,
    tokens: 5_100,
    summary: 'The docs mention a crane that does not exist.',
    open_questions: ['Is the crane planned?'],
  },
];

const messages: readonly string[] = [
  `${jobs.length} jobs (model): ${jobs.map(({ id, title }) => `${id} (${title})`).join(', ')}`,
  'look: started',
  'look: $ ls → 0',
  'look: completed',
  'tides: started',
  'docs: started',
  'docs: $ grep -rn crane docs → 0',
  'docs: $ grep -rn crane src → 1',
  'docs: completed',
  'tides: $ cat tides.js → 0',
  'tides: $ node --check tides.js → 0',
  'tides: completed',
];

/** The files of an autopilot run that never happened, to show what a run looks like without an agent. */
export function sampleRun(runsDir: string, cwd: string, now: number): ReadonlyMap<string, string> {
  const at = (seconds: number) => new Date(now - 3_600_000 + seconds * 1000).toISOString();
  const id = `${at(0).slice(0, 10)}_${at(0).slice(11, 23).replace(/[:.]/g, '')}_${randomBytes(6).toString('hex')}`;
  const folder = join(runsDir, id);
  const end = Math.max(...jobs.map(({ to }) => to));
  const timing = (from: number, to: number) => ({
    started_at: at(from),
    finished_at: at(to),
    duration_ms: (to - from) * 1000,
  });
  const outcome = {
    summary: jobs.map(({ title, summary }) => `${title} (completed): ${summary}`).join('\n'),
    deliverables: jobs.flatMap(({ deliverables = [] }) => deliverables),
    open_questions: jobs.flatMap(({ open_questions = [] }) => open_questions),
    next_actions: jobs.flatMap(({ next_actions = [] }) => next_actions),
  };
  const ended = { status: 'completed', error: null, warnings: [], ended_processes: [] } as const;
  const usage = usageOf(jobs.reduce((sum, { tokens }) => sum + tokens, 3_000));
  const results = jobs.map(({ id: jobId, title, from, to, tokens, evidence, ...job }) => ({
    id: jobId,
    title,
    run_id: `${id}/${jobId}`,
    run_dir: join(folder, 'subruns', jobId),
    subagent_thread_id: null,
    selected_skills: [],
    summary: job.summary,
    deliverables: job.deliverables ?? [],
    open_questions: job.open_questions ?? [],
    next_actions: job.next_actions ?? [],
    artifacts:
      jobId === 'tides'
        ? [{ name: 'changes.patch', path: join(folder, 'subruns', jobId, 'changes.patch') }]
        : [],
    timing: timing(from, to),
    usage: usageOf(tokens),
    evidence: evidence ? { method: 'git', complete: true, files: evidence, omitted: 0 } : null,
    ...ended,
  }));
  const plan = jobs.map(({ id: job, title, sandbox, depends_on }) => ({
    id: job,
    title,
    sandbox,
    depends_on,
    task: `${title}.`,
    role: 'specialist',
    thinking_level: 'medium',
    writes: [],
    acceptance: [],
    skills_mode: 'none',
    max_skills: 0,
  }));
  const files: Readonly<Record<string, object | string>> = {
    // First, because the recovery writes the result of a run that has none.
    'result.json': {
      ...outcome,
      ...ended,
      ...timing(0, end),
      usage,
      thread_id: null,
      cancelled: false,
      exit_code: null,
      signal: null,
    },
    'request.json': {
      tool: 'delegate_autopilot',
      received_at: at(0),
      request: { task, cwd, sandbox: 'workspace-write' },
    },
    'autopilot_decision.json': { should_delegate: true, reason: 'The task has two independent parts.' },
    'autopilot_plan.json': { jobs: plan, source: 'model', warnings: [] },
    'autopilot_aggregate.json': { ...outcome, ...ended, usage, jobs: results },
    'events.jsonl': messages.map((text, index) => `${JSON.stringify(eventOf(text, index))}\n`).join(''),
    'subruns/tides/changes.patch': patch,
  };
  return new Map(
    Object.entries(files).map(([name, content]) => [
      join(folder, name),
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    ]),
  );
}

function usageOf(tokens: number) {
  const output = Math.round(tokens / 10);
  return {
    input_tokens: tokens - output,
    cached_input_tokens: Math.round(tokens / 2),
    output_tokens: output,
    reasoning_output_tokens: Math.round(output / 4),
  };
}

function eventOf(text: string, index: number) {
  return { type: 'item.completed', item: { id: `event_${index}`, type: 'agent_message', text } };
}
