import { createStore } from '../../src/store/store.ts';
import { randomNumbers } from '../random-numbers.ts';
import { openRoutines } from '../routine-bench.ts';

const [minute, hour] = [60_000, 3_600_000];
const day = 24 * hour;
const [graceMs, windowMs] = [2 * minute, 12 * hour];
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

export interface YearResult {
  readonly due: number;
  readonly started: number;
  readonly skipped: number;
  readonly messages: number;
  /** Due times at a local time that the clock skipped, or that came twice. */
  readonly clock_changes: number;
  readonly problems: readonly string[];
}

interface Plan {
  readonly name: string;
  readonly zone: string;
  readonly time: string;
  /** 0 is Sunday; empty for every day. */
  readonly weekdays: readonly number[];
  readonly missed: 'once' | 'skip';
  readonly notify: 'me' | 'ben' | 'nobody';
}

/** The person whom the bench means by `me`, who creates all routines. */
const creator = 'ada';

/**
 * Lives, from a date on, through some days with routines in three zones, while the machine sleeps now and then, and compares every row and every
 * message with a model that shares no code with the feature.
 */
export async function liveThroughYear(
  count: number,
  days: number,
  from = '2026-01-01',
  seed = 1,
): Promise<YearResult> {
  const { next: random, pick } = randomNumbers(seed);
  await using bench = openRoutines({
    settings: {
      ...{ minIntervalMs: 300_000, catchUpHours: 12, maxFailures: 5, maxPerHour: 20, keepMs: 0 },
      ...{ maxParallel: 10_000, tellsErrors: false },
    },
  });
  bench.now = Date.parse(`${from}T00:00:00Z`);
  const began = bench.now;
  const plans: Plan[] = [];
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  for (let index = 0; index < count; index++) {
    const plan: Plan = {
      name: `r${index}`,
      zone: zones[index % zones.length]!,
      // Many in the hours in which clocks change.
      time: `${String(pick([1, 2, 2, 2, 3, 7, 9, 18, 23])).padStart(2, '0')}:${pick(['00', '15', '30'])}`,
      weekdays: random() < 0.7 ? [] : [Math.floor(random() * 7)],
      missed: random() < 0.8 ? 'once' : 'skip',
      notify: pick(['me', 'me', 'ben', 'nobody']),
    };
    plans.push(plan);
    const when = `every ${plan.weekdays.length === 0 ? 'day' : names[plan.weekdays[0]!]} at ${plan.time}`;
    const { name, zone: timezone, missed, notify } = plan;
    await bench.create(when, { name, timezone, missed, notify });
  }

  const end = began + days * day;
  const expected = plans.map((plan) => ({ plan, ...timesOf(plan, began, end) }));
  const looks = lookTimes(
    expected.flatMap(({ times }) => times),
    began,
    end,
    random,
  );
  for (const look of looks) {
    bench.now = look;
    await bench.feature.once();
  }
  // News of the last runs.
  await bench.feature.once();

  const problems: string[] = [];
  const store = createStore(`${bench.folder}/adjutant.db`);
  const rows = await store.read((db) => db.selectFrom('firings').selectAll().execute());
  const routines = (await bench.call('list_routines', { limit: 10_000 })).routines as {
    id: string;
    name: string;
  }[];
  await store.close();
  const idOf = new Map(routines.map(({ id, name }) => [name, id]));
  const rowsOf = Map.groupBy(rows, ({ routine_id }) => routine_id);
  let [due, started, skipped, messages, clock_changes] = [0, 0, 0, 0, 0];
  for (const { plan, times, changes } of expected) {
    clock_changes += changes;
    const found = new Map((rowsOf.get(idOf.get(plan.name)!) ?? []).map((row) => [row.due_ms, row]));
    const model = modelOf(times, looks, plan);
    if (found.size !== model.size)
      problems.push(`${plan.name}: ${found.size} rows for ${model.size} due times`);
    for (const [ms, fires] of model) {
      const row = found.get(ms);
      due += 1;
      const status = fires ? 'completed' : 'skipped';
      if (row?.status !== status)
        problems.push(
          `${plan.name} ${new Date(ms).toISOString()}: ${row?.status ?? 'no row'} instead of ${status}`,
        );
      if (row?.status === 'skipped' && !row.reason)
        problems.push(`${plan.name}: a skipped time without a reason`);
      if (fires) started += 1;
      else skipped += 1;
    }
    const about = `routine/${idOf.get(plan.name)}/`;
    const told = bench.messages
      .filter(({ key }) => key.startsWith(about))
      .map(({ key, person, title }) => `${typeof title === 'string' ? title : title.kind} ${person} ${key}`);
    const wanted = messagesOf(plan, batchesOf(times, looks), model).map(
      ({ kind, person, dueMs }) =>
        `${kind} ${person} ${about}${kind === 'missed' ? 'missed/' : ''}${found.get(dueMs)?.id}`,
    );
    messages += told.length;
    const missing = wanted.filter((message) => !told.includes(message));
    const extra = told.filter((message) => !wanted.includes(message));
    if (told.length !== wanted.length || missing.length > 0 || extra.length > 0)
      problems.push(`${plan.name}: messages are missing: ${missing}; not expected: ${extra}`);
  }
  if (bench.runs.started.length !== started)
    problems.push(`${bench.runs.started.length} runs instead of ${started}`);
  return { due, started, skipped, messages, clock_changes, problems };
}

/** When the worker looks: soon after each due time, except while the machine sleeps. */
function lookTimes(due: readonly number[], began: number, end: number, random: () => number): number[] {
  const sleeps: [number, number][] = [];
  for (let ms = began; ms < end; ms += random() * 6 * day) {
    const from = ms + random() * day;
    sleeps.push([from, from + random() * (random() < 0.2 ? 3 * day : 10 * hour)]);
  }
  const isAsleep = (ms: number) => sleeps.some(([from, to]) => ms >= from && ms < to);
  const looks = due.map((ms) => ms + Math.floor(random() * minute)).filter((ms) => !isAsleep(ms));
  return [...new Set([...looks, ...sleeps.map(([, to]) => Math.ceil(to) + 1000), end])]
    .filter((ms) => ms <= end)
    .sort((a, b) => a - b);
}

/** Whether each due time fires, by the words of the documentation. */
function modelOf(
  times: readonly number[],
  looks: readonly number[],
  { missed }: Plan,
): ReadonlyMap<number, boolean> {
  const model = new Map<number, boolean>();
  for (const [look, batch] of batchesOf(times, looks))
    batch.forEach((ms, index) => {
      const late = look - ms;
      const isLast = index === batch.length - 1;
      model.set(ms, late <= graceMs || (isLast && missed === 'once' && late <= windowMs));
    });
  return model;
}

/** The times that become known at each look. */
function batchesOf(times: readonly number[], looks: readonly number[]): Map<number, number[]> {
  const batches = new Map<number, number[]>();
  let at = 0;
  for (const ms of times) {
    while (at < looks.length && looks[at]! < ms) at += 1;
    const look = looks[at];
    if (look !== undefined) batches.set(look, [...(batches.get(look) ?? []), ms]);
  }
  return batches;
}

interface Expected {
  readonly kind: 'finished' | 'missed';
  readonly person: string;
  /** The due time that the message is about. For missed times, the last one. */
  readonly dueMs: number;
}

/** Who gets which messages: results go to the person of the routine, and missed times to somebody in any case. */
function messagesOf(
  { notify }: Plan,
  batches: ReadonlyMap<number, readonly number[]>,
  model: ReadonlyMap<number, boolean>,
): readonly Expected[] {
  const person = notify === 'me' ? creator : notify;
  return [...batches.values()].flatMap((batch) => {
    const lastMissed = batch.findLast((ms) => !model.get(ms));
    const finished = batch.filter((ms) => model.get(ms) && notify !== 'nobody');
    return [
      ...finished.map((dueMs) => ({ kind: 'finished' as const, person, dueMs })),
      ...(lastMissed === undefined
        ? []
        : [{ kind: 'missed' as const, person: notify === 'nobody' ? creator : person, dueMs: lastMissed }]),
    ];
  });
}

/** Every due time, found by asking the calendar of the system what each minute is called in the zone. */
function timesOf({ zone, time, weekdays }: Plan, began: number, end: number) {
  const nameOf = calendar(zone);
  const found: number[] = [];
  let changes = 0;
  for (let noon = began - 2 * day + 12 * hour; noon < end + 2 * day; noon += day) {
    const date = new Date(noon).toISOString().slice(0, 10);
    if (weekdays.length > 0 && !weekdays.includes(new Date(`${date}T00:00Z`).getUTCDay())) continue;
    const wanted = `${date} ${time}`;
    const near = Date.parse(`${date}T${time}Z`);
    let ms: number | undefined;
    // Zones are at most 14 hours from UTC. The first minute with this name counts.
    const offset = offsetNear(nameOf, near);
    for (
      let at = near - offset - 2 * hour;
      at <= near - offset + 2 * hour && ms === undefined;
      at += 15 * minute
    )
      if (nameOf(at) === wanted) ms = at;
    // A name that no minute has: so long after the change as it would have been without it.
    const isSkipped = ms === undefined;
    ms ??= near - offsetBefore(nameOf, near - offset);
    if (ms <= began || ms > end) continue;
    found.push(ms);
    const isTwice = [hour / 2, hour].some((later) => nameOf(ms + later) === wanted);
    if (isSkipped || isTwice) changes += 1;
  }
  return { times: found.sort((a, b) => a - b), changes };
}

type NameOf = (ms: number) => string;

function calendar(zone: string): NameOf {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return (ms) => format.format(ms);
}

function offsetAt(nameOf: NameOf, ms: number): number {
  return Date.parse(`${nameOf(ms).replace(' ', 'T')}Z`) - Math.floor(ms / minute) * minute;
}

function offsetNear(nameOf: NameOf, wall: number): number {
  return offsetAt(nameOf, wall - offsetAt(nameOf, wall));
}

function offsetBefore(nameOf: NameOf, ms: number): number {
  return offsetAt(nameOf, ms - 12 * hour);
}
