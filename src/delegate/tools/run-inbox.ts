import { homedir } from 'node:os';
import { join } from 'node:path';
import type { InboxItem } from '../../inbox.ts';
import { present } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import { isSandbox } from '../agents/sandbox.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { gainsOf, oneLine } from '../run/run-progress.ts';
import { isOpen, type RunRecord } from '../run/run-record.ts';
import { readCall, readStart } from '../run/run-state.ts';
import { waitingChanges } from '../workspace/waiting-changes.ts';
import type { RunOverview } from './run-overview.ts';
import type { Runs } from './runs.ts';

/** How many of the newest runs are searched. */
const searchedRuns = 300;
/** Questions of older runs are no longer news. */
const questionDays = 7;

/** What runs wait for: permission, answers, and a decision about their changes. Adds runs that wait for nothing to `settled`. */
export async function waitingItems(all: Runs, settled: Set<string>): Promise<readonly InboxItem[]> {
  const listed = await all.list(searchedRuns);
  const ended = listed.filter((run) => !isOpenOverview(run) && !settled.has(run.run_id));
  const waiting = await Promise.all(
    ended.map(async (run) => {
      const items = await endedRun(all, run, listed);
      if (items.length === 0) settled.add(run.run_id);
      return items;
    }),
  );
  return [...(await waitingApprovals(all, listed)), ...waiting.flat()];
}

/** What the agents of these runs ask permission for. */
export async function waitingApprovals(
  all: Runs,
  listed?: readonly RunOverview[],
): Promise<readonly InboxItem[]> {
  const known = listed ?? (await all.list(searchedRuns));
  const byId = new Map(known.map((run) => [run.run_id, run]));
  const requests = await all.openRequests(known);
  return Promise.all(
    requests.map((request) => approval(all, request, byId.get(request.run_id.split('/')[0]!)!)),
  );
}

function isOpenOverview({ status }: RunOverview): boolean {
  return status === 'waiting' || isOpen({ status });
}

const titles: Readonly<Record<PendingApproval['what'], string>> = {
  command: 'Allow this command?',
  files: 'Allow these changes?',
  network: 'Allow this connection?',
  tool: 'Allow this tool?',
  permissions: 'Allow more permissions?',
};

async function approval(
  all: Runs,
  request: PendingApproval & { readonly run_id: string },
  overview: RunOverview,
): Promise<InboxItem> {
  const { id, run_id, job, asked_at, expires_at, cwd, ...shown } = request;
  const { what, decisions } = request;
  // The overview of a run in progress does not name its agent.
  const start = await readStart((await all.show(run_id)).run_dir).catch(() => undefined);
  const run = { ...overview, ...present({ agent: start?.agent }) };
  const answer = (label: string, decision: string, asks?: string) => ({
    label,
    tool: 'answer_approval',
    arguments: { run_id, approval_id: id, decision },
    ...present({ asks }),
  });
  return {
    id: `approval/${run_id}/${id}`,
    kind: 'approval',
    title: titles[what],
    detail: `${job ?? run.task} · ${placeOf(run)}`,
    since: asked_at,
    expires_at,
    page: `/#/runs/${run.run_id}`,
    request: {
      ...{ run_id, approval_id: id, gains: gainsOf(request), ...shown },
      ...present({ cwd: cwd === run.cwd ? undefined : cwd }),
    },
    actions: [
      ...(decisions.includes('allow_once') ? [answer('Allow once', 'allow_once')] : []),
      ...(decisions.includes('allow_run') ? [answer('Allow for this run', 'allow_run')] : []),
      answer('Refuse', 'refuse', 'reason'),
    ],
  };
}

/** What a run that has ended waits for. */
async function endedRun(
  all: Runs,
  run: RunOverview,
  listed: readonly RunOverview[],
): Promise<readonly InboxItem[]> {
  const { record } = await all.account(run.run_id);
  return [...(await changes(run, record)), ...(await questions(run, record, listed))];
}

async function changes(run: RunOverview, record: RunRecord): Promise<readonly InboxItem[]> {
  const { run_id, tool, task } = run;
  // The changes of a run on another machine are applied there.
  const waiting = run.host === undefined ? await waitingChanges(record.run_dir) : undefined;
  const isComparison = tool === 'delegate_compare';
  if (waiting === undefined || waiting.files === 0 || (isComparison && waiting.isPartlyApplied)) return [];
  const { files, conflicts } = waiting;
  const counted = files === 1 ? '1 file' : `${files} files`;
  const facts = [
    ...checkFacts(record),
    isComparison ? 'Candidates to choose from' : `${counted}${await lineCounts(record.run_dir)}`,
    ...(conflicts === 0 ? [] : [`${conflicts} in conflict with your folder`]),
    placeOf(run),
  ];
  return [
    {
      id: `changes/${run_id}`,
      kind: 'changes',
      title: task,
      detail: facts.join(' · '),
      since: record.timing.finished_at,
      page: `/#/runs/${run_id}`,
      actions: isComparison ? [] : [{ label: `Apply ${counted}`, tool: 'apply_run', arguments: { run_id } }],
    },
  ];
}

/** How many checks of a run passed or failed, and what it claims without proof. */
function checkFacts({ evidence }: RunRecord): readonly string[] {
  const { checks = [], files = [] } = evidence ?? {};
  const passed = checks.filter(({ status }) => status === 'passed').length;
  const unproven = files.filter(({ status }) => status === 'missing' || status === 'unchanged').length;
  return [
    ...(checks.length === 0 ? [] : [`${passed} of ${checks.length} checks pass`]),
    ...(unproven === 0
      ? []
      : [unproven === 1 ? '1 claim without proof' : `${unproven} claims without proof`]),
  ];
}

async function lineCounts(runFolder: string): Promise<string> {
  const patch = await readRegularFile(join(runFolder, 'changes.patch'), maxFileBytes).catch(() => '');
  const added = patch.match(/^\+(?!\+\+ )/gm)?.length ?? 0;
  const removed = patch.match(/^-(?!-- )/gm)?.length ?? 0;
  return patch === '' ? '' : ` +${added} −${removed}`;
}

/** The questions of a run, until a later run of its thread has answered them. */
async function questions(
  run: RunOverview,
  record: RunRecord,
  listed: readonly RunOverview[],
): Promise<readonly InboxItem[]> {
  const { run_id, subagent_thread_id: thread, task, cwd, agent } = run;
  const { open_questions: open, status, timing } = record;
  const age = Date.now() - Date.parse(timing.finished_at);
  const isContinued = listed.some((one) => one.subagent_thread_id === thread && one.run_id > run_id);
  if (open.length === 0 || !status.startsWith('completed') || age > questionDays * 86_400_000) return [];
  if (thread !== null && isContinued) return [];
  const { sandbox } = (await readCall(record.run_dir))?.input ?? {};
  const again = {
    ...{ thread_id: thread, cwd, skip_git_repo_check: true },
    ...present({ agent, sandbox: isSandbox(sandbox) ? sandbox : undefined }),
  };
  return [
    {
      id: `question/${run_id}`,
      kind: 'question',
      title: oneLine(open[0]!, 200),
      detail: `${task} · ${placeOf(run)}`,
      since: timing.finished_at,
      page: `/#/runs/${run_id}`,
      questions: open,
      actions:
        // A thread can be resumed only on the machine that has it.
        thread === null || run.host !== undefined
          ? []
          : [{ label: 'Answer', tool: 'delegate_resume', arguments: again, asks: 'task' }],
    },
  ];
}

/** The agent and the folder of a run, as people write them. */
function placeOf({ agent, cwd, host }: RunOverview): string {
  const home = homedir();
  const folder = isInFolder(cwd, home) ? `~${cwd.slice(home.length)}` : cwd;
  return `${agent ?? 'agents'} in ${folder}${host === undefined ? '' : ` on ${host}`}`;
}
