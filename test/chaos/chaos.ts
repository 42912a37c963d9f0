import { setTimeout as pause } from 'node:timers/promises';
import type { Model } from '../model/responses-model.ts';
import { type Random, randomNumbers } from '../random-numbers.ts';
import { type Fault, faults } from './faults.ts';
import { judge, leftovers, settle, type Verdict } from './verdict.ts';
import { ClientWork } from './work.ts';
import { type Engine, World } from './world.ts';

export interface ChaosOptions {
  readonly engine: Engine;
  readonly milliseconds: number;
  readonly seed: number;
  readonly folder: string;
  readonly isSmallDisk: boolean;
  readonly model: Model;
}

export interface ChaosResult {
  readonly engine: Engine;
  readonly faults: ReadonlyMap<string, number>;
  readonly skipped: ReadonlyMap<string, string>;
  readonly writes: World['writes'];
  readonly verdict: Verdict;
  readonly heapMb: { readonly before: number; readonly after: number };
  readonly maxResidentMb: number;
  readonly problems: readonly string[];
}

/** Pauses between two calls of a client, and between two faults. */
const callPauseMs = 250;
const maxFaultPauseMs = 4_000;
const faultsInShortRun = 15;
const settleMs = 240_000;
const maxHeapGrowthMb = 40;

/** Lets clients work and breaks things at random, repairs everything, and compares what is left with what was acknowledged. */
export async function playChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { engine, milliseconds, seed } = options;
  const world = await World.create(options);
  const causes = new Map<string, number>();
  const heapMb = { before: Number.NaN, after: Number.NaN };
  const skipped = new Map(
    faults.flatMap(({ name, skipped: reason }) => {
      const why = reason?.(world);
      return why === undefined ? [] : [[name, why] as const];
    }),
  );
  try {
    world.start();
    const works = world.clients.map((client, at) => new ClientWork(world, client, randomNumbers(seed + at)));
    await Promise.all(works.map((work) => work.prepare()));
    const startMs = performance.now();
    const isOver = () => performance.now() - startMs > milliseconds;
    const usable = faults.filter(({ name }) => !skipped.has(name));
    const faultPauseMs = Math.min(maxFaultPauseMs, milliseconds / faultsInShortRun);
    // Two faults may happen at the same time.
    const breaking = [1, 2].map((loop) =>
      breakThings(world, usable, randomNumbers(seed * 100 + loop), faultPauseMs, isOver, (name) =>
        causes.set(name, (causes.get(name) ?? 0) + 1),
      ),
    );
    const measuring = measure(
      world,
      isOver,
      async () => {
        heapMb.before = await world.witness.heapMb();
      },
      milliseconds / 10,
    );
    await Promise.all([...works.map((work) => work.run(isOver, callPauseMs)), ...breaking, measuring]);
    world.clock.set(1);
    await settle(world, settleMs);
    const verdict = await judge(world);
    heapMb.after = await world.witness.heapMb();
    if (heapMb.after - heapMb.before > maxHeapGrowthMb)
      world.report(`the heap grew from ${heapMb.before} to ${heapMb.after} MB`);
    const { services } = world;
    await Promise.all(services.map((service) => service.stop('SIGTERM')));
    const left = leftovers(world);
    for (const one of left) world.report(one);
    return {
      engine,
      faults: causes,
      skipped,
      writes: world.writes,
      verdict: { ...verdict, left: left.length },
      heapMb,
      maxResidentMb: Math.max(...services.map(({ maxResidentMb }) => maxResidentMb)),
      problems: world.problems,
    };
  } finally {
    await world.close();
    world.clock.close();
  }
}

async function breakThings(
  world: World,
  usable: readonly Fault[],
  random: Random,
  pauseMs: number,
  isOver: () => boolean,
  count: (name: string) => void,
): Promise<void> {
  const lots = usable.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  while (!isOver()) {
    await pause(random.between(0, 2 * pauseMs));
    const fault = random.pick(lots);
    if (isOver() || inProgress.has(`${world.engine} ${fault.name}`)) continue;
    inProgress.add(`${world.engine} ${fault.name}`);
    try {
      if ((await fault.cause(world, random)) !== false) count(fault.name);
    } finally {
      inProgress.delete(`${world.engine} ${fault.name}`);
    }
  }
}

/** Faults that are not repaired yet: a disk must not be filled twice. */
const inProgress = new Set<string>();

async function measure(
  world: World,
  isOver: () => boolean,
  measureHeap: () => Promise<void>,
  afterMs: number,
): Promise<void> {
  const startMs = performance.now();
  let isMeasured = false;
  while (!isOver()) {
    for (const service of world.services) service.measureMemory();
    if (!isMeasured && performance.now() - startMs > afterMs) {
      isMeasured = true;
      await measureHeap();
    }
    await pause(1_000);
  }
}
