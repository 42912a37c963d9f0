import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Outreach } from '../../outreach.ts';
import type { RunEvent } from '../../run-events.ts';
import { contentOf, findApprovers, findKnown, type NewsOptions } from '../run/approvers.ts';
import type { Delegation } from '../run/delegation.ts';
import { endEvent, keptMs, type RunEvents, type UnsettledEvent } from '../run/run-events.ts';
import { describeRequest } from '../run/run-progress.ts';
import { listRunIds } from '../run/run-record.ts';
import { hasEnd, readApprovals, readEnd } from '../run/run-state.ts';

/** How many of the newest runs are checked for an event that was lost. */
const checkedRuns = 50;
const pruneIntervalMs = 60 * 60_000;

/** Tells people what happened to the runs of this machine, and withdraws what is no longer true. */
export class RunNews {
  readonly #delegation: Delegation;
  readonly #outreach: Outreach;
  readonly #options: NewsOptions;
  #hasFoundLost = false;
  #current: Promise<void> | undefined;
  #problem: unknown;
  /** Ids of events whose news could not be told. */
  readonly #failed = new Set<string>();
  #prunedAt = 0;

  constructor(delegation: Delegation, outreach: Outreach) {
    this.#delegation = delegation;
    this.#outreach = outreach;
    this.#options = delegation.options.news;
  }

  /** Does not throw: the next call tries again. */
  tell(): Promise<void> {
    this.#current ??= this.#tell()
      .then(() => {
        this.#problem = undefined;
      })
      .catch((error: unknown) => {
        log(this.#problem === undefined ? 'warning' : 'debug', 'people cannot be told of runs yet', error);
        this.#problem = error;
      })
      .finally(() => {
        this.#current = undefined;
      });
    return this.#current;
  }

  async #tell(): Promise<void> {
    if (!existsSync(this.#delegation.options.queueFile)) return;
    const { events } = await this.#delegation.runner.queue;
    if (!this.#hasFoundLost) await this.#findLost(events);
    this.#hasFoundLost = true;
    for (const one of events.unsettled())
      await this.#settle(events, one).catch((error: unknown) => {
        if (error instanceof Failure && error.kind === 'unavailable') throw error;
        // The other news must not wait for it.
        const isKnown = this.#failed.has(one.event.id);
        log(isKnown ? 'debug' : 'warning', `the news ${one.event.id} cannot be told yet`, error);
        this.#failed.add(one.event.id);
      });
    this.#prune(events);
  }

  /** A power cut can take rows of the last seconds, but not the result of a run that was stored before. */
  async #findLost(events: RunEvents): Promise<void> {
    const { runsDir } = this.#delegation.options;
    for (const id of (await listRunIds(runsDir)).slice(0, checkedRuns)) {
      const directory = join(runsDir, id);
      if (!hasEnd(directory)) continue;
      const event = await endEvent(events, directory);
      // The rows of older events were removed after people had been told.
      if (event?.notify !== undefined && event.atMs > Date.now() - keptMs) events.add(event, directory);
    }
  }

  async #settle(events: RunEvents, { event, directory, isClosed }: UnsettledEvent): Promise<void> {
    if (isClosed) return this.#withdraw(events, event);
    if (event.kind === 'asks_permission') await this.#ask(event, directory);
    else if (event.notify !== undefined) await this.#report(event, directory, event.notify);
    if (!events.markTold(event.id)) await this.#withdraw(events, event);
  }

  async #withdraw(events: RunEvents, event: RunEvent): Promise<void> {
    await this.#outreach.withdraw(event.id);
    events.markWithdrawn(event.id);
  }

  async #report({ id, kind, runId, folder }: RunEvent, directory: string, person: string): Promise<void> {
    const text = this.#options.details ? await this.#details(directory) : undefined;
    const recipient = await findKnown(this.#outreach, person);
    if (recipient === undefined) return;
    await this.#outreach.send({
      key: id,
      person: recipient,
      title: { kind, name: folder },
      page: pageOf(runId),
      ...(text !== undefined && { text }),
    });
  }

  async #details(directory: string): Promise<string | undefined> {
    const end = await readEnd(directory);
    const lines = [end?.error, end?.answer?.summary, ...(end?.answer?.open_questions ?? [])];
    const text = lines.filter((line) => line).join('\n\n');
    return text === '' ? undefined : this.#delegation.runner.redact(text).slice(0, 2000);
  }

  async #ask({ id, kind, runId, folder, notify, request }: RunEvent, directory: string): Promise<void> {
    const pending = (await readApprovals(directory)).find((one) => one.id === request);
    const expiresMs = Date.parse(pending?.expires_at ?? '');
    if (pending === undefined || !(Date.now() < expiresMs)) return;
    const { details, atNight } = this.#options;
    const canBeAllowed = pending.decisions.includes('allow_once');
    const text = details ? this.#delegation.runner.redact(describeRequest(pending)) : undefined;
    for (const { person, mayAllow } of await findApprovers(this.#options, this.#outreach, notify))
      await this.#outreach.send({
        key: id,
        person,
        title: { kind, name: folder },
        ...(text !== undefined && { text }),
        urgency: 'important',
        quietHours: atNight,
        expiresMs,
        page: pageOf(runId),
        decision: { subject: id, content: contentOf(pending), mayAllow: mayAllow && canBeAllowed },
      });
  }

  #prune(events: RunEvents): void {
    const now = Date.now();
    if (now < this.#prunedAt + pruneIntervalMs) return;
    this.#prunedAt = now;
    events.prune(now);
  }
}

function pageOf(runId: string): string {
  return `/#/runs/${runId.split('/')[0]}`;
}
