import type { CalendarEvent, Notification } from '../../store/schema.ts';
import { parsePayload, type Words } from '../entities/payload.ts';
import type { Proposal } from '../policy/guards.ts';

/** Proposals, and why they were made. */
export interface Proposed {
  readonly proposals: readonly Proposal[];
  readonly why?: string | undefined;
}

/** The planned reminders of an occurrence as proposals of the policy that made them. */
export function currentPlan(rows: readonly Notification[], event: CalendarEvent): Proposed {
  const proposals = rows
    .filter((row) => row.status === 'planned' && row.parent_id === null && row.change === null)
    // The user's own reminders are computed anew.
    .filter(({ origin }) => origin === null)
    .map((row) => ({
      offsetMinutes: row.slot,
      channel: row.channel,
      urgency: row.urgency,
      ...reusableWords(row, event),
    }));
  const why = rows.map(({ payload }) => parsePayload(payload).why).find((reason) => reason !== undefined);
  return { proposals, ...(why !== undefined && { why }) };
}

/** The policy's own words, unless the event has changed since they were written. */
export function reusableWords({ revision, payload }: Notification, event: CalendarEvent): Words {
  return (revision === event.revision && parsePayload(payload).words) || {};
}
