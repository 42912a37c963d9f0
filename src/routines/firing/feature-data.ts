import type { Actor, Context } from '../../context.ts';
import type { ExpandText } from '../../feature.ts';
import type { Outreach } from '../../outreach.ts';
import type { Clock } from '../../store/store.ts';
import type { Definitions } from '../definition/definitions.ts';
import type { Creator, RoutineSettings } from '../definition/routine.ts';
import type { PersonFacts } from '../definition/routine-input.ts';
import type { Secrets } from '../definition/secrets.ts';
import type { DueLoop } from './due-loop.ts';
import type { FindEvents } from './dues.ts';
import type { Firings } from './firings.ts';

/** What the tools of the feature share. */
export interface RoutineData {
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly firings: Firings;
  readonly secrets: Secrets;
  readonly loop: DueLoop;
  readonly settings: RoutineSettings;
  readonly machine: string;
  readonly host: string;
  /** Public address of this server, for webhooks. */
  readonly publicUrl: string | undefined;
  readonly expandText: ExpandText;
  readonly findEvents: FindEvents;
  /** Absent where nobody can be reached. */
  readonly outreach: Outreach | undefined;
  /** The creator with the present rights. Undefined if the token was revoked or has expired. */
  readonly present: (creator: Creator) => Actor | undefined;
  readonly person: (written: string, actor: Actor, creates: boolean) => Promise<PersonFacts>;
  /** Throws if the caller is a sub-agent. */
  readonly refuseSubagents: (context: Context) => Promise<void>;
  /** Puts a request that was refused into the security log. */
  readonly recordDenied: (action: string, address: string | undefined, reason: string) => void;
  /** Whether a process fires the routines of a machine. */
  readonly isFiring: (machine: string) => Promise<boolean>;
}

/** Opens the data on first use: most servers start without routines. */
export type OpenData = () => Promise<RoutineData>;
