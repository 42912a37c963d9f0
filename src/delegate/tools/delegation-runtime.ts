import type { Change, Problem } from '../../feature.ts';
import { log } from '../../log.ts';
import { waitBriefly } from '../../store/silent-database.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import { Delegation } from '../run/delegation.ts';
import { LocalRuns } from './local-runs.ts';
import { RunNews } from './run-news.ts';
import { RunPublisher } from './run-publisher.ts';
import { Runs } from './runs.ts';
import { SharedRuns } from './shared-runs.ts';

const firstCleanMs = 60_000;
const cleanIntervalMs = 60 * 60_000;

/** The services behind the delegate tools. Created on first use, so that they do not slow down the start. */
export interface DelegationRuntime {
  readonly delegation: Delegation;
  readonly runs: Runs;
  /** Recovers the runs whose hosts were killed, if the options say so, and publishes changed runs for other machines. */
  sweep(): Promise<void>;
  /** Tells people what happened to runs, and withdraws what is no longer true. */
  tell(): Promise<void>;
  problems(): readonly Problem[];
  close(): Promise<void>;
}

export function openDelegationRuntime(
  options: DelegateOptions,
  publish: (change: Change) => void,
): DelegationRuntime {
  const { records, recoversRuns = false } = options;
  // Not at the start, so that commands which end soon do not wait for it.
  let cleanAt = performance.now() + firstCleanMs;
  /** Removes the runs that the settings do not keep. */
  const keep = async (runs: Runs) => {
    if (!recoversRuns || performance.now() < cleanAt) return;
    cleanAt = performance.now() + cleanIntervalMs;
    const { removed } = await runs.clean();
    if (removed.length > 0)
      log('info', `${removed.length} old runs were removed (delegate.keep_days, delegate.keep_mb)`);
  };
  if (records === undefined) {
    const delegation = new Delegation(options, publish);
    const local = new LocalRuns(delegation);
    const runs = new Runs(delegation, local);
    return {
      delegation,
      runs,
      tell: newsOf(delegation),
      sweep: async () => {
        if (recoversRuns) await local.recoverAll();
        await keep(runs);
      },
      problems: () => [],
      close: () => delegation.close(),
    };
  }
  const shared = new SharedRuns(records);
  const delegation = new Delegation(options, (change) => {
    publish(change);
    if (change.kind === 'resources') void publisher.publish();
  });
  const local = new LocalRuns(delegation);
  const publisher = new RunPublisher(local, shared, delegation);
  const unsubscribe = shared.subscribe(() => {
    publish({ kind: 'resources' });
    void publisher.publish();
  });
  const runs = new Runs(delegation, local, shared);
  return {
    delegation,
    runs,
    tell: newsOf(delegation),
    async sweep() {
      if (recoversRuns) await local.recoverAll();
      await keep(runs);
      // Not awaited, so that sweeping does not depend on the database.
      void publisher.publish();
    },
    problems: () => publisher.problems(),
    async close() {
      unsubscribe();
      await delegation.drain();
      // The next server on this machine publishes the rest.
      await waitBriefly(publisher.publish());
      await delegation.close();
      await waitBriefly(shared.close());
    },
  };
}

function newsOf(delegation: Delegation): DelegationRuntime['tell'] {
  const { outreach } = delegation.options;
  const news = outreach && new RunNews(delegation, outreach);
  return async () => news?.tell();
}
