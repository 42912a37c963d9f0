import type { Outcome } from './client.ts';

/** A value that was written, with every state that it may have after the last call. `undefined` means that it does not exist. */
export interface Tracked {
  allowed: ReadonlySet<string | undefined>;
  /** False after a call without a clear answer. Its effect may still come, so that nobody writes the value again. */
  isCertain: boolean;
}

export interface Counts {
  acknowledged: number;
  failed: number;
  unanswered: number;
}

const noCounts = (): Counts => ({ acknowledged: 0, failed: 0, unanswered: 0 });

/** Everything that the clients of a world were told. */
export class AcknowledgedWrites {
  readonly prompts = new Map<string, Tracked>();
  /** Version of each imported calendar, by user. */
  readonly calendars = new Map<string, Tracked>();
  /** Events whose creation was acknowledged, and whether a reminder of them was planned. */
  readonly events = new Map<string, { isPlanned: boolean }>();
  /** Runs whose id was returned, with the mark that each of them writes, if it writes one. */
  readonly runs = new Map<string, { readonly mark: string | undefined }>();
  readonly counts = { prompts: noCounts(), imports: noCounts(), events: noCounts(), runs: noCounts() };
  /** Calls that failed, by tool and reason. */
  readonly failures = new Map<string, number>();

  /** Records the values that may be stored after a call: only `wanted` if it succeeded, also the earlier ones if it failed. */
  settle(tracked: Tracked, wanted: string | undefined, { kind }: Outcome): void {
    if (kind === 'unsent') return;
    if (kind === 'ok') tracked.allowed = new Set([wanted]);
    else {
      tracked.allowed = new Set([...tracked.allowed, wanted]);
      tracked.isCertain = false;
    }
  }

  count(what: keyof AcknowledgedWrites['counts'], tool: string, outcome: Outcome): void {
    const counts = this.counts[what];
    if (outcome.kind === 'ok') counts.acknowledged++;
    else if (outcome.kind === 'failed') {
      counts.failed++;
      const reason = `${tool}: ${outcome.failure}: ${(/error: .*/.exec(outcome.message)?.[0] ?? outcome.message).slice(0, 160)}`;
      this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    } else if (outcome.kind === 'lost') counts.unanswered++;
  }
}
