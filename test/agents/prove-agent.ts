import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { isOpen, listRunIds, type RunRecord } from '../../src/delegate/run/run-record.ts';
import { killHost } from '../delegate/kill-host.ts';
import { ServerProcess } from '../delegate/server-process.ts';
import { createWorkbench, hasClaudeSandbox, type Workbench } from '../delegate/workbench.ts';
import type { Model } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import type { RealAgent } from './real-agents.ts';

const timeoutMs = 120_000;
const cache = join(import.meta.dirname, '..', '..', '.cache');

/** Waits until a check succeeds, and returns its value. */
async function until<Value>(
  what: string,
  check: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await pause(100);
  }
}

function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** One real agent with its own home, project and model on loopback. */
export class AgentProof implements AsyncDisposable {
  readonly agent: RealAgent;
  readonly model: Omit<Model, 'config'>;
  readonly bench: Workbench;
  #server: ServerProcess | undefined;

  private constructor(agent: RealAgent, model: Omit<Model, 'config'>) {
    this.agent = agent;
    this.model = model;
    this.bench = createWorkbench();
    Object.assign(this.bench.env, { IS_SANDBOX: '1' }, agent.env(model));
    agent.configure(this.bench.home, model);
  }

  static async start(agent: RealAgent): Promise<AgentProof> {
    return new AgentProof(agent, await agent.startModel());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.bench[Symbol.asyncDispose]();
    await this.model.close();
  }

  async server(): Promise<ServerProcess> {
    this.#server ??= await this.openServer();
    return this.#server;
  }

  openServer(settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    return new ServerProcess(this.bench, {
      'delegate-agent': this.agent.name,
      'delegate-command': this.agent.program!,
      'delegate-answer-within-seconds': '0',
      'delegate-danger-folders': this.bench.folder,
      'delegate-start-timeout-seconds': '0',
      ...settings,
    }).initialize();
  }

  /** The arguments of a run. Claude Code's own sandbox needs programs that not every machine has. */
  args(task: string): object {
    const { name, model } = this.agent;
    const sandbox = name === 'claude' && !hasClaudeSandbox ? 'danger-full-access' : 'workspace-write';
    return { task, cwd: this.bench.project, sandbox, ...(model !== undefined && { model }) };
  }

  final(fields: object = {}): readonly Turn[] {
    const { say } = answer(fields) as { say: string };
    return this.agent.finish === undefined
      ? [{ say }]
      : [...this.agent.finish(JSON.parse(say)), { say: 'Bye.' }];
  }

  async run(task: string): Promise<RunRecord> {
    return (await this.server()).call('delegate_run', this.args(task));
  }

  /** Starts a run and resolves with its id when its command has created the file. */
  async startRun(server: ServerProcess, name: string, command = 'sleep 6', ...more: readonly Turn[]) {
    const known = new Set(await listRunIds(this.runs));
    const task = script(this.agent.shell(`: ${name}; ${command}`), ...more, ...this.final());
    const { result } = server.begin('delegate_run', this.args(task));
    result.catch(() => {});
    const id = await until(`the command of ${this.agent.name}`, async () => {
      const run = (await listRunIds(this.runs)).find((one) => !known.has(one));
      return run && this.events(run).some((event) => JSON.stringify(event).includes(name)) ? run : undefined;
    });
    const record = result.then(({ structuredContent }) => structuredContent as unknown as RunRecord);
    return { id, record, result };
  }

  get runs(): string {
    return join(this.bench.home, 'runs');
  }

  events(id: string): readonly Record<string, unknown>[] {
    const file = join(this.runs, id, 'events.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  /** What the model received after the first requests. */
  received(from: number): string {
    return this.model.requests
      .slice(from)
      .map(({ body }) => JSON.stringify(body))
      .join('\n');
  }

  async text(tool: string, args: object): Promise<string> {
    const { content } = await (await this.server()).begin(tool, args).result;
    return (content as unknown as { text: string }[])[0]!.text;
  }

  /** Processes of the run that are left, once they have had a moment to end. */
  async left(id: string): Promise<readonly string[]> {
    for (let tries = 0; tries < 30; tries += 1) {
      if ((await listRunProcesses(undefined, id)).length === 0) return [];
      await pause(100);
    }
    return (await listRunProcesses(undefined, id)).map(({ command }) => command);
  }
}

/** A bar returns the cell of the table, and throws if the agent does not do what it should. */
export const bars: Readonly<Record<string, (proof: AgentProof) => Promise<string>>> = {
  async run(proof) {
    const { agent, bench } = proof;
    // Codex always lets commands write to the temporary folder.
    const outside = join(cache, `outside-${process.pid}`);
    const turns = [
      agent.shell(`echo 42 | sed s/^/seen-by-/; touch ${outside}`),
      agent.write(join(bench.project, 'new.txt'), 'hello'),
      ...proof.final({ summary: 'All done.', deliverables: [{ path: 'new.txt', description: 'a file' }] }),
    ];
    mkdirSync(cache, { recursive: true });
    const record = await proof.run(script(...turns));
    const isOutside = existsSync(outside);
    rmSync(outside, { force: true });
    demand(record.status === 'completed', `${record.status}: ${record.error}`);
    demand(record.evidence?.files[0]?.status === 'verified', `evidence: ${JSON.stringify(record.evidence)}`);
    demand(proof.received(0).includes('seen-by-42'), 'the model did not get the output of the command');
    const exec = JSON.parse(readFileSync(join(record.run_dir, 'run.json'), 'utf8'));
    demand(exec.sandbox === 'danger-full-access' || !isOutside, 'a command wrote outside of the folder');
    return String(exec.protocol);
  },
  async 'structured answer'(proof) {
    const record = await proof.run(
      script(...proof.final({ summary: 'Structured.', next_actions: ['Rest'] })),
    );
    demand(record.summary === 'Structured.' && record.next_actions[0] === 'Rest', JSON.stringify(record));
    const repaired = await proof.run(script({ say: 'Just words.' }));
    demand(repaired.status === 'completed', `after a repair: ${repaired.status}: ${repaired.error}`);
    return 'yes, or one repair';
  },
  async steering(proof) {
    const before = proof.model.requests.length;
    // Some agents read a message only between two commands, so there are several, until one of them has read it.
    const read = join(proof.bench.folder, 'steer-read');
    writeFileSync(
      join(proof.bench.project, 'wait.sh'),
      `for i in $(seq 30); do [ -e ${read} ] && exit; sleep 0.1; done\n`,
    );
    const wait = 'sh ./wait.sh';
    const more = Array.from({ length: 10 }, () => proof.agent.shell(wait));
    const { id, record } = await proof.startRun(await proof.server(), 'steer-started', wait, ...more);
    const said = await proof.text('steer_run', { run_id: id, message: 'Also look left.' });
    writeFileSync(read, '');
    const { status } = await record;
    demand(status === 'completed', status);
    if (said.includes('does not support')) return 'not supported';
    demand(proof.received(before).includes('Also look left.'), `the model never saw the message: ${said}`);
    const turns = proof.events(id).filter(({ kind }) => kind === 'turn').length;
    return turns === 1 ? 'in the same turn' : 'in the next turn';
  },
  async interrupt(proof) {
    const { id, record } = await proof.startRun(await proof.server(), 'interrupt-started', 'sleep 1000');
    const message = `Do this instead. ${script(...proof.final({ summary: 'Did that.' }))}`;
    await proof.text('steer_run', { run_id: id, interrupt: true, message });
    const { status, summary, error } = await record;
    demand(status === 'completed' && summary === 'Did that.', `${status}: ${error ?? summary}`);
    return 'yes';
  },
  async approvals(proof) {
    if (proof.agent.name === 'claude' && !hasClaudeSandbox) return 'not proved: needs bwrap and socat';
    await using server = await proof.openServer({
      'delegate-approvals': 'ask',
      'delegate-approval-timeout-seconds': '3',
    });
    const file = (name: string) => join(proof.bench.project, `${name}.txt`);
    const asks = (name: string) =>
      proof.agent.ask?.(`touch ${file(name)}`) ?? proof.agent.shell(`touch ${file(name)}`);
    const names = ['allowed', 'refused', 'late'];
    const known = new Set(await listRunIds(proof.runs));
    const task = script(...names.map(asks), ...proof.final());
    const { result } = server.begin('delegate_run', proof.args(task));
    const id = await until('the run', async () =>
      (await listRunIds(proof.runs)).find((one) => !known.has(one)),
    );
    const seen = new Set<string>();
    for (const [name, decision] of [
      ['allowed', 'allow_once'],
      ['refused', 'refuse'],
    ] as const) {
      const approval = await until(`a request for ${name}`, async () => {
        const { approvals = [] } = await server.call('show_run', { run_id: id });
        return approvals.find((one) => !seen.has(one.id));
      });
      demand(
        JSON.stringify(approval).includes(name),
        `the request names no ${name}: ${JSON.stringify(approval)}`,
      );
      seen.add(approval.id);
      // Codex gets the reason as a message, which would end the script of the model.
      const reason = proof.agent.name === 'codex' ? {} : { reason: 'not today' };
      await server.call('answer_approval', { run_id: id, approval_id: approval.id, decision, ...reason });
    }
    const { structuredContent } = await result;
    const record = structuredContent as unknown as RunRecord;
    const made = names.map((name) => existsSync(file(name)));
    demand(JSON.stringify(made) === '[true,false,false]', `files: ${made} ${record.status}: ${record.error}`);
    demand(record.status === 'completed', `${record.status}: ${record.error}`);
    const answered = proof.events(id).filter(({ kind }) => kind === 'answered');
    demand(answered.length >= 3, `${answered.length} answers`);
    return 'allowed, refused, timed out';
  },
  async resume(proof) {
    const first = await proof.run(`Remember the word harbour. ${script(...proof.final())}`);
    const before = proof.model.requests.length;
    const thread_id = first.subagent_thread_id;
    const second = await (await proof.server()).call('delegate_resume', {
      ...proof.args(script(...proof.final({ summary: 'Resumed.' }))),
      thread_id,
    });
    if (second.status === 'failed' && second.error?.includes('cannot be continued')) return 'not supported';
    demand(
      second.status === 'completed' && second.summary === 'Resumed.',
      `${second.status}: ${second.error}`,
    );
    demand(second.subagent_thread_id === thread_id, 'another thread');
    demand(proof.received(before).includes('the word harbour'), 'the model did not get the earlier messages');
    return 'yes';
  },
  async fork(proof) {
    const first = await proof.run(`Remember the word lantern. ${script(...proof.final())}`);
    const before = proof.model.requests.length;
    const server = await proof.server();
    const call = {
      ...proof.args(`Light the beacon. ${script(...proof.final({ summary: 'Forked.' }))}`),
      cwd: undefined,
    };
    const { content, structuredContent } = await server.begin('fork_run', { ...call, run_id: first.run_id })
      .result;
    const [{ text }] = content as unknown as [{ text: string }];
    if (text.includes('cannot fork a run')) {
      demand(text.includes('delegate_run'), `no alternative: ${text}`);
      return 'not supported';
    }
    const fork = structuredContent as unknown as RunRecord;
    demand(fork.status === 'completed' && fork.summary === 'Forked.', `${fork.status}: ${fork.error}`);
    demand(fork.subagent_thread_id !== first.subagent_thread_id, 'the fork has no thread of its own');
    demand(proof.received(before).includes('the word lantern'), 'the model did not get the earlier messages');
    const later = proof.model.requests.length;
    const thread_id = first.subagent_thread_id;
    const resumed = await server.call('delegate_resume', {
      ...proof.args(script(...proof.final())),
      thread_id,
    });
    demand(resumed.status === 'completed', `the earlier thread: ${resumed.status}: ${resumed.error}`);
    demand(!proof.received(later).includes('Light the beacon'), 'the fork has changed the earlier thread');
    return 'yes';
  },
  async usage(proof) {
    const turns = [proof.agent.shell('true'), ...proof.final()];
    const { usage } = await proof.run(script(...turns));
    if (usage === null) return 'unknown';
    const expected = turns.length * proof.agent.tokensPerCall;
    demand(usage.input_tokens === expected, `${usage.input_tokens} tokens instead of ${expected}`);
    return 'exact';
  },
  async budget(proof) {
    const file = join(proof.bench.home, 'adjutant.toml');
    writeFileSync(file, `[delegate.budgets.run]\ntokens = ${proof.agent.tokensPerCall}\n`);
    await using server = await proof.openServer();
    rmSync(file);
    // The second call is over the limit, and its command gives the run time to notice that.
    const task = script(proof.agent.shell('true'), proof.agent.shell('sleep 6'), ...proof.final());
    const { run_id, status, error, warnings } = await server.call('delegate_run', proof.args(task));
    demand([error, ...warnings].join().includes('the budget is used up'), `${status}: ${error} ${warnings}`);
    const left = await proof.left(run_id);
    demand(left.length === 0, `left: ${left.join(', ')}`);
    return status === 'failed' ? 'ends the run' : 'checked at the end';
  },
  async cancel(proof) {
    // A script, because Claude Code refuses commands that it cannot analyse, such as setsid.
    const background = `setsid -f bash -c 'trap "" INT TERM HUP; sleep 1000'`;
    writeFileSync(join(proof.bench.project, 'stubborn.sh'), `${background}\ntrap '' INT TERM\nsleep 1000\n`);
    const { id, record } = await proof.startRun(await proof.server(), 'cancel-started', 'sh ./stubborn.sh');
    await proof.text('cancel_run', { run_id: id });
    const { status, error } = await record;
    demand(status === 'cancelled', `${status}: ${error}`);
    const left = await proof.left(id);
    demand(left.length === 0, `left: ${left.join(', ')}`);
    return 'nothing left';
  },
  async 'server killed'(proof) {
    const first = await proof.openServer({ 'delegate-on-disconnect': 'finish' });
    const { id } = await proof.startRun(first, 'server-started', 'sleep 3');
    await first.kill('SIGKILL');
    await using second = await proof.openServer();
    const record = await until('the result', async () => {
      const found = await second.call('collect_run', { run_id: id, wait_seconds: 5 });
      return isOpen(found) ? undefined : found;
    });
    demand(record.status === 'completed', `${record.status}: ${record.error}`);
    return 'run finished';
  },
  async 'run process killed'(proof) {
    const { id, record } = await proof.startRun(await proof.server(), 'host-started', 'sleep 1000');
    demand(await killHost(proof.bench, id), 'the run had ended');
    const { status, error } = await record;
    demand(status === 'failed' && (error ?? '').includes('was killed'), `${status}: ${error}`);
    const left = await proof.left(id);
    demand(left.length === 0, `left: ${left.join(', ')}`);
    return 'failed, nothing left';
  },
};
