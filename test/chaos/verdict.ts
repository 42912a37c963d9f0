import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listRunIds } from '../../src/delegate/run/run-record.ts';
import type { JsonObject } from '../../src/json.ts';
import { readQueue } from '../delegate/kill-host.ts';
import type { Outcome } from './client.ts';
import { eventsPerCalendar, matches } from './work.ts';
import type { World } from './world.ts';

/** What became of the runs and notifications of a world. Everything wrong is among the problems of the world. */
export interface Verdict {
  readonly promptsChecked: number;
  readonly calendarsChecked: number;
  readonly eventsChecked: number;
  readonly runs: Readonly<Record<string, number>>;
  readonly planned: number;
  readonly arrived: number;
  /** Arrived more than once, because a fault came between acceptance and recording. */
  readonly repeated: number;
  readonly left: number;
}

/** Waits until nothing is in progress any more. Call it after the last fault. */
export async function settle(world: World, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const isBusy = async () =>
    (await readQueue(world, (queue) => queue.open())).length > 0 || (await unsent(world)).length > 0;
  while (await isBusy().catch(() => true)) {
    if (performance.now() > deadline) return;
    await pause(500);
  }
}

/** Planned reminders of the clients that are not sent yet. */
async function unsent({ store, writes }: World): Promise<readonly string[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom('notifications')
      .select(['event_id'])
      .where('status', 'in', ['planned', 'sending'])
      .execute(),
  );
  return rows.map(({ event_id }) => event_id).filter((id) => writes.events.has(id));
}

/** Compares everything that was acknowledged with what is there. */
export async function judge(world: World): Promise<Verdict> {
  const runs = await judgeRuns(world);
  return {
    promptsChecked: await judgePrompts(world),
    calendarsChecked: await judgeCalendars(world),
    ...(await judgeNotifications(world)),
    runs,
    left: 0,
  };
}

/** Calls a tool on the server that was never killed. It must answer: there are no faults any more. */
async function ask(world: World, tool: string, args: object): Promise<Outcome> {
  const client = world.clients.at(-1)!;
  if (world.witness.child === undefined) world.witness.start();
  for (let tries = 0; ; tries++) {
    const outcome = await client.call(tool, args);
    if (outcome.kind === 'ok' || (outcome.kind === 'failed' && outcome.failure !== 'unavailable'))
      return outcome;
    if (tries === 20) return outcome;
    await pause(500);
  }
}

async function judgePrompts(world: World): Promise<number> {
  for (const [name, tracked] of world.writes.prompts) {
    const outcome = await ask(world, 'show_prompt', { name });
    if (!matches(tracked, outcome))
      world.report(
        `prompt ${name} is not ${[...tracked.allowed]}, but ${JSON.stringify(outcome).slice(0, 300)}`,
      );
  }
  return world.writes.prompts.size;
}

async function judgeCalendars(world: World): Promise<number> {
  for (const [user, { allowed }] of world.writes.calendars) {
    const rows = await world.store.read((db) =>
      db.selectFrom('events').select('title').where('user_id', '=', user).execute(),
    );
    const titles = new Set(rows.map(({ title }) => title));
    const isWhole = rows.length === eventsPerCalendar && titles.size === 1;
    if (!(isWhole && allowed.has([...titles][0])) && !(rows.length === 0 && allowed.has(undefined)))
      world.report(`calendar of ${user} has ${rows.length} events ${[...titles]} instead of ${[...allowed]}`);
  }
  return world.writes.calendars.size;
}

async function judgeNotifications(world: World) {
  const { store, writes, receivers } = world;
  const events = await store.read((db) => db.selectFrom('events').select('id').execute());
  const stored = new Set(events.map(({ id }) => id));
  const rows = await store.read((db) =>
    db.selectFrom('notifications').select(['id', 'event_id', 'status', 'error']).execute(),
  );
  const recordsOf = new Map(
    (
      await store.read((db) =>
        db
          .selectFrom('audit')
          .select(({ fn }) => ['notification_id', fn.countAll<number>().as('times')])
          .where('action', '=', 'notification.sent')
          .groupBy('notification_id')
          .execute(),
      )
    ).map(({ notification_id, times }) => [notification_id, Number(times)]),
  );
  const rowsOf = Map.groupBy(rows, ({ event_id }) => event_id);
  const counts = { eventsChecked: writes.events.size, planned: 0, arrived: 0, repeated: 0 };
  for (const [id, { isPlanned }] of writes.events) {
    if (!stored.has(id)) world.report(`event ${id} is lost`);
    const own = rowsOf.get(id) ?? [];
    if (isPlanned) {
      counts.planned++;
      if (!own.some((row) => receivers.arrivals.has(row.id)))
        world.report(`the reminder of ${id} did not arrive: ${JSON.stringify(own)}`);
    }
    for (const { id: notification, status, error } of own) {
      const times = receivers.arrivals.get(notification) ?? 0;
      if (times > 0) counts.arrived++;
      if (times > 1) counts.repeated++;
      if (times > 0 !== (status === 'sent'))
        world.report(`reminder ${notification} arrived ${times} times but is ${status}: ${error}`);
      if ((recordsOf.get(notification) ?? 0) > 1)
        world.report(
          `reminder ${notification} was sent again after it was recorded: ${await trail(world, notification)}`,
        );
    }
  }
  return counts;
}

async function trail({ store }: World, notification: string): Promise<string> {
  const rows = await store.read((db) =>
    db
      .selectFrom('audit')
      .select(['action', 'detail', 'at_ms'])
      .where('notification_id', '=', notification)
      .orderBy('id')
      .execute(),
  );
  return JSON.stringify(rows);
}

async function judgeRuns(world: World): Promise<Record<string, number>> {
  const { home, writes, project } = world;
  const counts: Record<string, number> = {};
  const open = await readQueue(world, (queue) => queue.open());
  for (const run of open) {
    const logs = world.services.map(({ log }) => log.split('\n').filter((line) => line.includes(run.runId)));
    world.report(
      `run ${run.runId} is still in the queue: ${JSON.stringify(run)}\n${logs.flat().slice(-10).join('\n')}`,
    );
  }
  const ids = await listRunIds(join(home, 'runs'));
  for (const id of writes.runs.keys()) if (!ids.includes(id)) world.report(`run ${id} is lost`);
  for (const id of ids) {
    const directory = join(home, 'runs', id);
    const shown = await ask(world, 'show_run', { run_id: id });
    const status = shown.kind === 'ok' ? String(shown.value['status']) : 'unknown';
    counts[status] = (counts[status] ?? 0) + 1;
    const result = JSON.parse(read(join(directory, 'result.json')) || '{}') as JsonObject;
    if (result['status'] !== undefined && result['status'] !== status)
      world.report(`run ${id} is ${status} for the server and ${result['status']} in its file`);
    const error = shown.kind === 'ok' ? String(shown.value['error'] ?? '') : shown.kind;
    // Codex is driven in two ways, which report the end of a turn differently.
    const isComplete = /"(?:type":"turn\.|kind":")completed"/.test(read(join(directory, 'events.jsonl')));
    if (status === 'completed' && !isComplete) world.report(`run ${id} is completed, but its agent is not`);
    if (status === 'failed' && isComplete && !/disk is full|too many open files/.test(error))
      world.report(`run ${id} is failed, but its agent completed: ${error}`);
    if (!['completed', 'failed', 'cancelled'].includes(status))
      world.report(`run ${id} is ${status}: ${JSON.stringify(shown).slice(0, 300)}`);
    if (status === 'failed' && error === '') world.report(`run ${id} failed without a reason`);
    const mark = writes.runs.get(id)?.mark;
    if (mark === undefined || status !== 'completed') continue;
    const times = read(join(project, 'marks', mark)).split('\n').length - 1;
    const couldWrite = !read(join(directory, 'events.jsonl')).includes('No space left on device');
    if (times > 1 || (times === 0 && couldWrite))
      world.report(`run ${id} is completed, but did its work ${times} times`);
  }
  return counts;
}

/** Processes that refer to the folder of a world. Call it after its processes were stopped. */
export function leftovers({ folder }: World): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && Number(pid) !== process.ppid)
    .filter((pid) => `${read(`/proc/${pid}/cmdline`)}${read(`/proc/${pid}/environ`)}`.includes(folder))
    .filter((pid) => !/^\d+ \(.*\) [ZX]/s.test(read(`/proc/${pid}/stat`)))
    .map((pid) => `process ${pid} is left: ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
