import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answer, script, type Turn } from '../model/turn.ts';
import { type Connection, nativeCodex, type Workbench } from './workbench.ts';

export interface Storm {
  readonly runs: number;
  readonly clients: number;
  /** Requests of all runs together. */
  readonly approvals: number;
}

export interface StormReport {
  readonly asked: number;
  readonly byForm: number;
  readonly byTool: number;
  readonly doubled: number;
  readonly problems: readonly string[];
}

interface Event {
  readonly kind: string;
  readonly id?: string;
  readonly by?: string;
  readonly decision?: string;
  readonly request?: { readonly id: string; readonly command: string };
}

const random = (below: number) => Math.floor(Math.random() * below);

/**
 * Lets the agents of several runs of several clients ask for permission at the same time. The clients answer after random
 * delays: in the form, or with `answer_approval` after closing the form. Each answer is sent twice. Whether a request is to be
 * allowed follows from its command, and an allowed command creates a file.
 */
export async function playStorm(bench: Workbench, { runs, clients, approvals }: Storm): Promise<StormReport> {
  const problems: string[] = [];
  const counts = { asked: 0, byForm: 0, byTool: 0, doubled: 0 };
  const settings = {
    'delegate-command': await nativeCodex(),
    'delegate-approvals': 'ask',
    'delegate-max-parallel': String(runs),
    'delegate-answer-within-seconds': '0',
  };
  const decisionOf = (command: string) => (command.includes('yes') ? 'allow_once' : 'refuse');
  const people: Connection[] = [];
  for (let at = 0; at < clients; at += 1) {
    const connection: Connection = await bench.connect(settings, {
      capabilities: { elicitation: {} },
      clientName: `client-${at}`,
      async onRequest(_, params) {
        counts.asked += 1;
        const message = String(params['message']);
        const [, run = ''] = /of run (\S+) asks/.exec(message) ?? [];
        const [, command = '', owner] = /(touch \S*-of-(\d+)-\S+)/.exec(message) ?? [];
        if (owner !== String(at)) problems.push(`client ${at} was asked: ${message}`);

        await pause(random(400));
        const decision = decisionOf(command);
        if (random(3) > 0) {
          counts.byForm += 1;
          void answerAgain(run, decision);
          return { action: 'accept', content: { decision } };
        }
        counts.byTool += 1;
        void answerLater(run, command, decision);
        return { action: 'cancel' };
      },
    });
    /** Another answer to what was just answered must not count. */
    const answerAgain = async (run: string, decision: string) => {
      await pause(random(50));
      const { record } = await connection.call('show_run', { run_id: run });
      for (const { id, command = '' } of record.approvals ?? []) {
        if (decisionOf(command) !== decision) continue;
        const { text } = await connection.call('answer_approval', { run_id: run, approval_id: id, decision });
        if (text.includes('already answered')) counts.doubled += 1;
      }
    };
    const answerLater = async (run: string, command: string, decision: string) => {
      await pause(random(400));
      const { record } = await connection.call('show_run', { run_id: run });
      const request = (record.approvals ?? []).find((one) => one.command === command);
      if (request === undefined) return void problems.push(`${run} does not list ${command}`);
      const send = () =>
        connection.call('answer_approval', { run_id: run, approval_id: request.id, decision });
      const texts = (await Promise.all([send(), send()])).map(({ text }) => text);
      const accepted = texts.filter((text) => /^(Allowed|Refused)/.test(text));
      if (accepted.length > 1) problems.push(`${run}: two answers to ${request.id} were accepted`);
      counts.doubled += texts.length - accepted.length;
    };
    people.push(connection);
  }

  const perRun = Math.ceil(approvals / runs);
  const fileOf = (run: number, at: number, owner: number) =>
    join(bench.folder, `file-${run}-${at}-of-${owner}-${(run + at) % 2 === 0 ? 'yes' : 'no'}`);
  const work = Array.from({ length: runs }, async (_, run) => {
    const owner = run % clients;
    const files = Array.from({ length: perRun }, (__, at) => fileOf(run, at, owner));
    const asks = files.map(
      (file): Turn => ({
        tool: 'exec_command',
        arguments: { cmd: `touch ${file}`, sandbox_permissions: 'require_escalated', justification: 'test' },
      }),
    );
    const { record } = await people[owner]!.call('delegate_run', {
      task: script(...asks, answer()),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    if (record.status !== 'completed') problems.push(`run ${run}: ${record.status} ${record.error}`);
    else problems.push(...checkRun(record.run_dir, `client-${owner}`, files));
  });
  await Promise.all(work);
  return { ...counts, problems };
}

/** Compares the record of a run with the files that its commands have made. */
function checkRun(directory: string, person: string, files: readonly string[]): string[] {
  const lines = readFileSync(join(directory, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Event);
  return files.flatMap((file) => {
    const command = `touch ${file}`;
    const asked = events.filter(({ kind, request }) => kind === 'approval' && request?.command === command);
    const answers = events.filter(({ kind, id }) => kind === 'answered' && id === asked[0]?.request?.id);
    const isAllowed = file.endsWith('yes');
    return [
      ...(asked.length === 1 ? [] : [`${command} was asked ${asked.length} times`]),
      ...(answers.length === 1 ? [] : [`${command} was answered ${answers.length} times`]),
      ...answers
        .filter(({ by, decision }) => !by?.endsWith(person) || (decision === 'refuse') === isAllowed)
        .map(({ by, decision }) => `${command}: ${decision} by ${by}`),
      ...(existsSync(file) === isAllowed ? [] : [`${file} ${isAllowed ? 'is missing' : 'exists'}`]),
    ];
  });
}
