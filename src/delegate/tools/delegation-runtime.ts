import { setTimeout as after } from 'node:timers/promises';
import type { Change, Problem } from '../../feature.ts';
import { Delegation } from '../delegation/delegation.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import { RunPublisher } from '../sharing/run-publisher.ts';
import { Runs } from '../sharing/runs.ts';
import { SharedRuns } from '../sharing/shared-runs.ts';

/** How long a server that stops waits for the database to hear of its last runs; the next server tells it otherwise. */
const lastWordMs = 3_000;
const patience = () => after(lastWordMs, undefined, { ref: false });

/** What stands behind the tools, made when it is first needed. */
export interface DelegationRuntime {
  readonly delegation: Delegation;
  readonly runs: Runs;
  /** Looks after what dead servers left, and tells other machines what is new. */
  sweep(): Promise<void>;
  problems(): readonly Problem[];
  close(): Promise<void>;
}

export function openDelegationRuntime(
  options: DelegateOptions,
  publish: (change: Change) => void,
): DelegationRuntime {
  const { records } = options;
  if (records === undefined) {
    const delegation = new Delegation(options, publish);
    const runs = new Runs(delegation);
    return {
      delegation,
      runs,
      sweep: () => runs.finishAbandoned(),
      problems: () => [],
      close: () => delegation.close(),
    };
  }
  const shared = new SharedRuns(records);
  const delegation = new Delegation(options, (change) => {
    publish(change);
    if (change.kind === 'resources') void publisher.look();
  });
  const runs = new Runs(delegation, shared);
  const publisher = new RunPublisher(runs, shared, delegation);
  const stop = shared.subscribe(() => {
    publish({ kind: 'resources' });
    void publisher.look();
  });
  return {
    delegation,
    runs,
    async sweep() {
      await runs.finishAbandoned();
      // Not waited for: what is to be looked after here must not depend on the database.
      void publisher.look();
    },
    problems: () => publisher.problems(),
    async close() {
      stop();
      await delegation.drain();
      await Promise.race([publisher.look(), patience()]);
      await delegation.close();
      await Promise.race([shared.close(), patience()]);
    },
  };
}
