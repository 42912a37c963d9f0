import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../src/json.ts';
import { answer, script } from '../model/turn.ts';
import type { Random } from '../random-numbers.ts';
import type { Tracked } from './acknowledged-writes.ts';
import type { ChaosClient, Outcome } from './client.ts';
import type { World } from './world.ts';

export const eventsPerCalendar = 20;
/** Every event is far enough in the future that no jump of the clock brings its start. */
const leadMinutes = 360;
const maxPrompts = 25;

/** Kinds of failures that a fault may cause. Any other is a mistake of the server. */
const expectedFailures = ['unavailable', 'timeout'];
/** A failed run is a result. Its text must name the cause. */
const failedRun = /^run_id: (\S+)\nstatus: failed .*\n(?:.*\n)*error: ./m;

/** What a client does, again and again, until it is stopped. */
export class ClientWork {
  readonly #world: World;
  readonly #client: ChaosClient;
  readonly #random: Random;
  /** Names of this client's values begin with it, so that clients do not write each other's. */
  readonly #prefix: string;
  #values = 0;

  constructor(world: World, client: ChaosClient, random: Random) {
    this.#world = world;
    this.#client = client;
    this.#random = random;
    this.#prefix = client.name.replaceAll(' ', '_').toLowerCase();
  }

  async run(isOver: () => boolean, pauseMs: number): Promise<void> {
    while (!isOver()) {
      const kind = this.#random.next();
      if (kind < 0.5) await this.#editPrompt();
      else if (kind < 0.65) await this.#readPrompt();
      else if (kind < 0.75) await this.#importCalendar();
      else if (kind < 0.92) await this.#planReminder();
      else await this.#delegate();
      await pause(this.#random.between(0, 2 * pauseMs));
    }
  }

  /** Creates the users of this client. Must not fail: there are no faults yet. */
  async prepare(): Promise<void> {
    const always = { timezone: 'UTC', quiet_start: '00:00', quiet_end: '00:00' };
    const { webhookUrl } = this.#world.receivers;
    for (const user of [
      { id: `${this.#prefix}_mail`, email: `${this.#prefix}@example.com`, channel_pref: 'email' },
      { id: `${this.#prefix}_hook`, webhook_url: webhookUrl, channel_pref: 'webhook' },
      { id: `${this.#prefix}_calendar`, ntfy_topic: 'chaos', channel_pref: 'ntfy' },
    ])
      await this.#untilDone('create_user', { name: user.id, ...always, ...user });
  }

  async #untilDone(tool: string, args: object): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      const outcome = await this.#client.call(tool, args);
      // A call that took too long on a busy machine may have had its effect.
      if (outcome.kind === 'ok' || (tries > 0 && 'failure' in outcome && outcome.failure === 'conflict'))
        return;
      if (outcome.kind === 'failed' && !isExpected(outcome)) throw new Error(`${tool}: ${outcome.message}`);
      await pause(100);
    }
    throw new Error(`${this.#client.name} does not reach its server`);
  }

  async #call(what: keyof World['writes']['counts'], tool: string, args: object): Promise<Outcome> {
    const outcome = await this.#client.call(tool, args);
    this.#world.writes.count(what, tool, outcome);
    if (outcome.kind === 'failed' && !isExpected(outcome)) {
      const { log } = this.#client.server;
      this.#world.report(
        `${tool} on ${this.#client.name} failed: ${outcome.failure}: ${outcome.message}\n${log.slice(-2_000)}`,
      );
    }
    if (outcome.kind === 'unsent') await pause(200);
    return outcome;
  }

  #nextValue(): string {
    return `${this.#prefix}_v${++this.#values}`;
  }

  async #editPrompt(): Promise<void> {
    const { writes } = this.#world;
    const own = this.#certainPrompts();
    const [name, tracked] =
      own.length < maxPrompts && this.#random.next() < 0.3
        ? [`${this.#prefix}_p${writes.prompts.size}`, { allowed: new Set([undefined]), isCertain: true }]
        : (this.#random.pick(own) ?? []);
    if (name === undefined || tracked === undefined) return;
    const exists = !tracked.allowed.has(undefined);
    const text = exists && this.#random.next() < 0.1 ? undefined : this.#nextValue();
    const [tool, args] = !exists
      ? ['create_prompt', { name, title: name, text }]
      : text === undefined
        ? ['delete_prompt', { name }]
        : ['update_prompt', { name, text }];
    writes.prompts.set(name, tracked);
    writes.settle(tracked, text, await this.#call('prompts', tool as string, args as object));
  }

  #certainPrompts(): [string, Tracked][] {
    return [...this.#world.writes.prompts].filter(
      ([name, { isCertain }]) => isCertain && name.startsWith(this.#prefix),
    );
  }

  /** Reads an own prompt through another server, which must know the last change. */
  async #readPrompt(): Promise<void> {
    const [name, tracked] = this.#random.pick(this.#certainPrompts()) ?? [];
    if (name === undefined || tracked === undefined) return;
    const reader = this.#random.pick(this.#world.clients);
    let seen = '';
    for (let tries = 0; tries < 40; tries++) {
      const outcome = await reader.call('show_prompt', { name });
      if (outcome.kind === 'unsent' || outcome.kind === 'lost') return;
      if (outcome.kind === 'failed' && isExpected(outcome)) return;
      if (matches(tracked, outcome)) return;
      seen = JSON.stringify(outcome);
      await pause(250);
    }
    this.#world.report(
      `${reader.name} does not see ${[...tracked.allowed]} as ${name} after 10 s, but ${seen}`,
    );
  }

  async #importCalendar(): Promise<void> {
    const { writes } = this.#world;
    const user = `${this.#prefix}_calendar`;
    const version = this.#nextValue();
    const tracked = writes.calendars.get(user) ?? { allowed: new Set([undefined]), isCertain: true };
    writes.calendars.set(user, tracked);
    const start = new Date(this.#world.clock.nowMs + 7 * 24 * 3600_000);
    const events = Array.from(
      { length: eventsPerCalendar },
      (_, at) =>
        `BEGIN:VEVENT\r\nUID:${user}-${at}\r\nDTSTART:${start.toISOString().replace(/[-:]|\.\d+/g, '')}\r\nSUMMARY:${version}\r\nEND:VEVENT\r\n`,
    );
    const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`;
    const outcome = await this.#call('imports', 'import_calendar', { user_id: user, content, name: 'chaos' });
    writes.settle(tracked, version, outcome);
    // The next acknowledged import replaces whatever an uncertain one left, unless that one is still in progress.
    if (outcome.kind === 'ok') tracked.isCertain = true;
  }

  /** Adds an event with one reminder that is due in a few seconds, and plans it. */
  async #planReminder(): Promise<void> {
    const { writes, clock } = this.#world;
    const id = `${this.#prefix}_e${++this.#values}`;
    const user_id = `${this.#prefix}_${this.#random.pick(['mail', 'hook'])}`;
    const dueMs = clock.nowMs + this.#random.between(3_000, 15_000);
    const start_ts = new Date(dueMs + leadMinutes * 60_000).toISOString();
    const event = { id, user_id, title: id, start_ts, reminders: [`${leadMinutes}m`] };
    if ((await this.#call('events', 'create_event', event)).kind !== 'ok') return;
    const entry = { isPlanned: false };
    writes.events.set(id, entry);
    const planned = await this.#client.call('plan_notifications', { user_id, event_id: id });
    if (planned.kind !== 'ok') return;
    entry.isPlanned = (planned.value['changes'] as JsonObject[]).some(({ action }) => action === 'add');
  }

  async #delegate(): Promise<void> {
    const mark = this.#nextValue();
    const edits = this.#random.next() < 0.5;
    const task = script(
      { shell: edits ? `echo x >> marks/${mark}` : 'sleep 0.2' },
      { shell: `sleep ${this.#random.between(0.1, 2).toFixed(1)}` },
      answer({ summary: mark }),
    );
    const args = { task, cwd: this.#world.project, sandbox: edits ? 'workspace-write' : 'read-only' };
    const outcome = await this.#call('runs', 'delegate_run', args);
    // The client of the current revision gets a task, which has the id of the run.
    const id =
      outcome.kind === 'ok'
        ? String(outcome.value['run_id'] ?? outcome.value['taskId'])
        : outcome.kind === 'failed' && failedRun.exec(outcome.message)?.[1];
    if (!id || id === 'unknown') return;
    this.#world.writes.runs.set(id, { mark: edits ? mark : undefined });
    if (this.#random.next() < 0.15) await this.#client.call('cancel_run', { run_id: id });
  }
}

function isExpected({ failure, message }: Outcome & { readonly kind: 'failed' }): boolean {
  return expectedFailures.includes(failure) || (failure === 'tool-failed' && failedRun.test(message));
}

/** True if a reading of a prompt fits what is known about it. */
export function matches({ allowed }: Tracked, outcome: Outcome): boolean {
  if (outcome.kind === 'failed') return outcome.failure === 'prompt-not-found' && allowed.has(undefined);
  const text = JSON.stringify(outcome);
  return [...allowed].some((value) => value !== undefined && new RegExp(`"${value}"`).test(text));
}
