import type { TestAssistant } from '../open-assistant.ts';
import { bruteForce, type Proposal } from './oracle.ts';
import { calendarText, createWorld, type World } from './world.ts';

interface Found {
  readonly slots: readonly {
    readonly start_ts: string;
    readonly people: readonly { readonly state: string }[];
    readonly missed?: readonly { readonly start_ts: string }[];
  }[];
}

/** Asks the tool and brute force for the times of a random world. */
export async function compareWorld(assistant: TestAssistant, seed: number) {
  const world = createWorld(seed);
  assistant.now = Date.parse(world.day) - 3 * 86_400_000;
  const people: string[] = [];
  for (const [index, { zone, events }] of world.people.entries()) {
    const id = `w${seed}-${index}`;
    const email = `${id}@example.com`;
    await assistant.call('create_user', { id, name: id, email, timezone: zone });
    await assistant.call('import_calendar', {
      user_id: id,
      content: calendarText(world, events, email),
      name: 'c',
    });
    people.push(id);
  }
  const found = (await assistant.call('find_time', { people, ...argumentsOf(world) })) as unknown as Found;
  for (const user_id of people) await assistant.call('delete_user', { user_id });
  return { world, found: found.slots.map(toProposal), expected: bruteForce(world) };
}

function argumentsOf(world: World) {
  const clock = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  // The last day is included.
  const end = new Date(Date.parse(world.day) + (world.days - 1) * 86_400_000).toISOString().slice(0, 10);
  return {
    duration_minutes: world.durationMinutes,
    from: world.day,
    to: end,
    zone: world.zone,
    hours: `${clock(world.hours[0])}-${clock(world.hours[1])}`,
    weekdays: world.weekdays.map((day) => ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][day]!),
    buffer_minutes: world.bufferMinutes,
    step_minutes: world.stepMinutes,
    count: world.count,
    ...(world.weeks > 1 && { rrule: `FREQ=WEEKLY;COUNT=${world.weeks}` }),
  };
}

function toProposal({ start_ts, people, missed = [] }: Found['slots'][number]): Proposal {
  return {
    start: new Date(start_ts).toISOString(),
    tentative: people.flatMap(({ state }, index) => (state === 'tentative' ? [index] : [])),
    missed: missed.map((date) => new Date(date.start_ts).toISOString()),
  };
}
