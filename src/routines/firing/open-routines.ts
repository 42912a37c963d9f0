import { hostname } from 'node:os';
import type { Actor, Context } from '../../context.ts';
import type { ExpandText } from '../../feature.ts';
import type { CallFeature } from '../../feature-api.ts';
import { log } from '../../log.ts';
import type { Outreach } from '../../outreach.ts';
import { followChangesSoon } from '../../store/change-follower.ts';
import { ownerName } from '../../store/owner.ts';
import { createRecords } from '../../store/records.ts';
import { type Clock, createStore } from '../../store/store.ts';
import { Definitions, routineKind } from '../definition/definitions.ts';
import { machineId } from '../definition/machine.ts';
import type { Creator, RoutineSettings } from '../definition/routine.ts';
import type { PersonFacts } from '../definition/routine-input.ts';
import { Secrets } from '../definition/secrets.ts';
import { DueLoop, leaderKind } from './due-loop.ts';
import type { FindEvents } from './dues.ts';
import type { RoutineData } from './feature-data.ts';
import { Firings, firingChange } from './firings.ts';
import { createRunPort, type RunPort } from './run-port.ts';

export interface RoutinesOptions {
  readonly databaseUrl: string;
  /** Holds the id of this machine. */
  readonly stateDir: string;
  readonly settings: RoutineSettings;
  /** Fires the routines of this machine: in a worker and in a server over HTTP. */
  readonly fires: boolean;
  readonly publicUrl: string | undefined;
  /** Calls tools of other features with the rights of the actor of the context. */
  readonly call: CallFeature;
  readonly expandText: ExpandText;
  readonly outreach: Outreach | undefined;
  readonly findEvents: FindEvents;
  readonly person: (written: string, actor: Actor, creates: boolean) => Promise<PersonFacts>;
  readonly refuseSubagents: (context: Context) => Promise<void>;
  readonly recordDenied: RoutineData['recordDenied'];
  /** The creator with the present rights; undefined if the token was revoked or has expired. */
  readonly present: (creator: Creator) => Actor | undefined;
  readonly clock?: Clock;
  /** How runs are started. Default: by the tools of the feature delegate. */
  readonly runs?: RunPort;
}

/** The data of the feature, and the loop that fires. */
export function openRoutines(options: RoutinesOptions) {
  const { databaseUrl, stateDir, clock = Date.now } = options;
  const store = createStore(databaseUrl);
  const records = createRecords(databaseUrl);
  const definitions = new Definitions(records);
  const firings = new Firings(store, clock);
  let machine: string | undefined;
  let loop: DueLoop | undefined;
  const data: RoutineData = {
    ...options,
    ...{ clock, definitions, firings, secrets: new Secrets(records), host: hostname() },
    // Read on first use: asking for problems must not write a file.
    get machine() {
      machine ??= machineId(stateDir);
      return machine;
    },
    get loop() {
      loop ??= new DueLoop({
        ...options,
        ...{ store, clock, definitions, firings, machine: this.machine, owner: ownerName() },
        runs: options.runs ?? createRunPort(options.call),
      });
      return loop;
    },
    async isFiring(id) {
      if (!firings.exists) return false;
      const row = await store.read((db) =>
        db
          .selectFrom('records')
          .select('key')
          .where('kind', '=', leaderKind)
          .where('key', '=', id)
          .where('position', '>', clock())
          .executeTakeFirst(),
      );
      return row !== undefined;
    },
  };
  let stopFollowing: (() => Promise<void>) | undefined;
  return {
    data,
    /** Fires the routines of this machine until the data is closed. */
    start() {
      const fired = data.loop;
      fired.start();
      stopFollowing = followChangesSoon(store, databaseUrl);
      store.subscribe((changes) => {
        if (changes.some(({ kind, id }) => kind === 'event' || (kind === 'record' && wakers.has(id))))
          fired.wake();
      });
    },
    async close() {
      await stopFollowing?.();
      await loop
        ?.stop()
        .catch((error: unknown) => log('warning', 'the routines could not be stopped', error));
      await records.close();
      await store.close();
    },
  };
}

const wakers = new Set([routineKind, firingChange]);
