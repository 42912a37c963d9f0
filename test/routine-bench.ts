import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Actor } from '../src/context.ts';
import { contracts } from '../src/contracts/contracts.ts';
import { Server } from '../src/engine/server.ts';
import { Failure } from '../src/failure.ts';
import type { JsonObject } from '../src/json.ts';
import type { Outreach, OutreachMessage } from '../src/outreach.ts';
import type { Routine } from '../src/routines/definition/routine.ts';
import type { MatchedEvent } from '../src/routines/firing/dues.ts';
import type { RunPort, RunState } from '../src/routines/firing/run-port.ts';
import { createRoutines, type RoutinesOptions } from '../src/routines/routines.ts';
import { connectMemory, type MemoryOptions } from '../src/transports/memory.ts';

/** A Monday morning in Berlin. */
export const monday = Date.parse('2026-11-16T05:00:00Z');

/** Runs that end when the test says so. */
export class ScriptedRuns implements RunPort {
  readonly started: {
    readonly task: string;
    readonly name: string;
    readonly actor: Actor;
    readonly budget: Routine['budget'];
    readonly atMs: number;
  }[] = [];
  readonly #runs = new Map<string, RunState & { readonly task: string }>();
  /** How the next runs end at once; `open` leaves them in progress; an error keeps them from starting. */
  outcome: 'open' | 'completed' | 'failed' | 'not-started' | Error = 'completed';
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  async start({ task, routine }: Parameters<RunPort['start']>[0], actor: Actor): Promise<RunState> {
    const { outcome } = this;
    if (outcome instanceof Error) throw outcome;
    this.started.push({ task, name: routine.name, actor, budget: routine.budget, atMs: this.#clock() });
    const runId = `run-${this.started.length}`;
    const run = {
      ...{
        runId,
        task,
        isOpen: outcome === 'open',
        hasStarted: outcome !== 'not-started',
        tokens: 100,
        usd: 0.01,
      },
      status:
        outcome === 'failed' || outcome === 'not-started' ? ('failed' as const) : ('completed' as const),
      result: `Result of ${runId}`,
    };
    this.#runs.set(runId, run);
    return run;
  }

  async find(runId: string) {
    return this.#runs.get(runId);
  }

  async search(text: string) {
    return [...this.#runs.values()].find(({ task }) => task.includes(text));
  }

  /** Ends every run in progress. */
  endAll(status: 'completed' | 'failed' = 'completed'): void {
    for (const [id, run] of this.#runs) if (run.isOpen) this.#runs.set(id, { ...run, isOpen: false, status });
  }
}

export type RoutineBench = ReturnType<typeof openRoutines>;

/** The feature with its own database, a clock that the test controls, and scripted runs. */
export function openRoutines(
  more: Partial<RoutinesOptions> & { readonly memory?: MemoryOptions; readonly folder?: string } = {},
) {
  const folder = more.folder ?? mkdtempSync(join(tmpdir(), 'adjutant-routines-'));
  const notes = join(folder, 'notes');
  mkdirSync(notes, { recursive: true });
  const bench = {
    now: monday,
    folder,
    notes,
    zone: 'Europe/Berlin',
    messages: [] as OutreachMessage[],
    /** Keys of messages that are no longer true. */
    withdrawn: [] as string[],
    events: [] as MatchedEvent[],
    actors: new Map<string, Actor>(),
  };
  const clock = () => bench.now;
  const runs = new ScriptedRuns(clock);
  const { memory, ...options } = more;
  const outreach: Outreach = {
    async send(message) {
      if (!bench.messages.some(({ key }) => key === message.key)) bench.messages.push(message);
      return { person: message.person, channel: 'email', dueMs: bench.now, warnings: [] };
    },
    async withdraw(key) {
      bench.withdrawn.push(key);
    },
    findPerson: async (written) => written,
    canReach: async () => true,
  };
  const feature = createRoutines({
    databaseUrl: join(folder, 'adjutant.db'),
    stateDir: folder,
    settings: {
      minIntervalMs: 300_000,
      catchUpHours: 12,
      maxFailures: 5,
      maxPerHour: 20,
      keepMs: 90 * 86_400_000,
      maxParallel: 4,
      tellsErrors: false,
    },
    fires: false,
    publicUrl: undefined,
    call: () => Promise.reject(new Error('no feature is called')),
    expandText: async (text, args) =>
      text.startsWith(':brief') ? `Brief about ${args['title'] ?? args['body'] ?? 'nothing'}.` : undefined,
    outreach,
    findEvents: async (_, { edge, fromMs, toMs }) =>
      bench.events.filter(({ startMs, endMs }) => {
        const ms = edge === 'start' ? startMs : endMs;
        return ms > fromMs && ms <= toMs;
      }),
    person: async (written) => {
      if (written === 'carl') throw new Failure('resource-not-found', 'User not found: carl.');
      return { id: written === 'me' ? 'ada' : written, timezone: bench.zone, locale: 'en' };
    },
    refuseSubagents: async () => {},
    recordDenied: () => {},
    present: ({ identity, token }) => (token === undefined ? { name: 'owner' } : bench.actors.get(identity)),
    clock,
    runs,
    ...options,
  });
  const server = new Server({ contract: contracts.standard, features: [feature] });
  const client = connectMemory(server, { access: server.access.withoutToolsets(), ...memory });
  const result = async (name: string, args: JsonObject = {}) => {
    const reply = await client.request('tools/call', { name, arguments: args });
    if (reply['isError']) throw new Error((reply['content'] as { text: string }[])[0]!.text);
    // biome-ignore lint/suspicious/noExplicitAny: tests read many fields of many tools.
    return reply['structuredContent'] as any;
  };
  return Object.assign(bench, {
    ...{ runs, feature, server, client, outreach, call: result },
    create: (when: unknown, fields: JsonObject = {}) =>
      result('create_routine', {
        name: 'brief',
        task: 'Write a brief',
        cwd: notes,
        when: when as never,
        notify: 'me',
        ...fields,
      }),
    /** Moves the clock and lets the loop look once, or again after each step. */
    async pass(ms: number, stepMs = ms) {
      const end = bench.now + ms;
      while (bench.now < end) {
        bench.now = Math.min(bench.now + stepMs, end);
        await feature.once();
      }
    },
    history: async (routine = 'brief') =>
      (await result('list_routines', { routine, limit: 1000 })).firings as readonly Record<string, string>[],
    async [Symbol.asyncDispose]() {
      await server.close();
      if (more.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  });
}
