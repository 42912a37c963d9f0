// Shows how somebody else plans twenty tasks in four languages, and that the planned jobs run. `plans ask DIR` writes the project and,
// for each task, exactly the request that the model gets: NN/request.txt and NN/schema.json. Whoever plays the model writes NN/answer.json.
// `plans run DIR` answers with these files, lets the real codex do the jobs with a model on loopback, and prints one line for each task.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { answer, type Turn } from '../model/turn.ts';
import { write } from '../tree.ts';
import { planProject, planTasks } from './parts/plan-tasks.ts';

const [mode, target] = process.argv.slice(2);
if ((mode !== 'ask' && mode !== 'run') || target === undefined) {
  console.error('Usage: npm run prove -- plans ask|run DIR');
  process.exit(2);
}
const folder = resolve(target);
const project = join(folder, 'project');
const part = (at: number, name: string) => join(folder, String(at + 1).padStart(2, '0'), name);

const scripts: Record<string, readonly Turn[]> = {};
const model = await startResponsesModel(scripts);
const bench = createWorkbench(model.config);
const server = await bench.connect({
  'delegate-command': await nativeCodex(),
  'delegate-answer-within-seconds': '0',
  // The model only plays the jobs, so the checks of the plans cannot pass.
  'autopilot-checks': 'no such command',
});

/** Writes the request of a task. The recorded call ends with a plan without jobs. */
async function ask(task: string, at: number): Promise<boolean> {
  scripts['Plan how sub-agents'] = [
    { say: JSON.stringify({ should_delegate: false, reason: 'Recorded.', jobs: [] }) },
  ];
  await server.call('delegate_autopilot', { task, cwd: project });
  const request = model.requests.findLast((one) => one.task.includes(`The task:\n${task}`));
  if (request === undefined) return false;
  const { format } = request.body['text'] as { format: { schema: object } };
  mkdirSync(part(at, ''), { recursive: true });
  writeFileSync(part(at, 'request.txt'), request.task);
  writeFileSync(part(at, 'schema.json'), `${JSON.stringify(format.schema, null, 2)}\n`);
  console.log(`${at + 1} ${task}`);
  return true;
}

interface AnsweredJob {
  readonly id: string;
  readonly title: string;
  readonly sandbox: string;
  readonly depends_on: readonly string[];
}

/** Runs the plan of a task. Each job that may write lists the files of the jobs before it in a file of its own. */
async function run(task: string, at: number): Promise<boolean> {
  if (!existsSync(part(at, 'answer.json'))) {
    console.log(`${at + 1} NOT ANSWERED ${task}`);
    return false;
  }
  plantProject();
  for (const key of Object.keys(scripts)) delete scripts[key];
  const said = readFileSync(part(at, 'answer.json'), 'utf8');
  const second = existsSync(part(at, 'answer-2.json'))
    ? readFileSync(part(at, 'answer-2.json'), 'utf8')
    : said;
  scripts['Your previous plan was invalid'] = [{ say: second }];
  scripts['Plan how sub-agents'] = [{ say: said }];
  for (const { id, title, sandbox } of [said, second].flatMap(jobsOf)) {
    const command =
      sandbox === 'read-only' ? 'ls' : `mkdir -p made && touch made/${id} && ls made > made/${id}.list`;
    const turns = [{ shell: command }, answer({ summary: `Did ${id}.` })];
    scripts[`Autopilot job: ${title.trim().replaceAll(/\s+/g, ' ')} (${id})`] = turns;
  }
  const { record } = await server.call('delegate_autopilot', { task, cwd: project });
  const output = record as unknown as AutopilotOutput;
  const problems = findProblems(output);
  const { decision, plan, jobs } = output;
  const did = decision.should_delegate
    ? `${jobs.length} jobs (${plan.source}): ${plan.jobs.map((job) => `${job.id}${job.depends_on.length > 0 ? ` after ${job.depends_on.join(' and ')}` : ''}`).join(', ')}`
    : `no plan: ${decision.reason}`;
  console.log(`${at + 1} ${problems.length === 0 ? 'ok' : 'FAILED'} ${task}\n   ${did}`);
  for (const problem of problems) console.log(`   ${problem}`);
  if (output.status === 'failed') {
    const repair = model.requests.findLast((one) => one.task.includes('Your previous plan was invalid'));
    if (plan.source === 'none' && repair) writeFileSync(part(at, 'request-2.txt'), repair.task);
  }
  return problems.length === 0;
}

function jobsOf(text: string): readonly AnsweredJob[] {
  try {
    return JSON.parse(text).jobs ?? [];
  } catch {
    return [];
  }
}

function findProblems({ status, error, decision, plan, jobs }: AutopilotOutput): string[] {
  const problems = status === 'completed' ? [] : [`${status}: ${error}`];
  if (!decision.should_delegate && decision.reason.trim().length < 10) problems.push('it does not say why');
  for (const { id, status: outcome } of jobs)
    if (outcome !== 'completed') problems.push(`job ${id} is ${outcome}`);
  const writers = new Set(plan.jobs.filter(({ sandbox }) => sandbox !== 'read-only').map(({ id }) => id));
  for (const { id, depends_on } of plan.jobs.filter((job) => writers.has(job.id))) {
    const list = join(project, 'made', `${id}.list`);
    const seen = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
    for (const one of [id, ...depends_on.filter((before) => writers.has(before))])
      if (!seen.includes(one)) problems.push(`job ${id} did not see the changes of ${one}`);
  }
  const timing = new Map(jobs.map((job) => [job.id, job.timing]));
  for (const { id, depends_on } of plan.jobs)
    for (const before of depends_on)
      if (timing.get(id)!.started_at < timing.get(before)!.finished_at)
        problems.push(`job ${id} began before ${before} had ended`);
  return problems;
}

function plantProject(): void {
  rmSync(project, { recursive: true, force: true });
  write(project, planProject);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
}

let passed = 0;
try {
  plantProject();
  for (const [at, task] of planTasks.entries()) if (await (mode === 'ask' ? ask : run)(task, at)) passed += 1;
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
console.log(`${passed} of ${planTasks.length} tasks ${mode === 'ask' ? 'recorded' : 'as required'}`);
process.exitCode = passed === planTasks.length ? 0 : 1;
