import { createHash } from 'node:crypto';
import type { NewEvent } from '../../store/schema.ts';

export function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Hash of the fields that a notification depends on. Excludes import metadata such as `last_seen_ms`. */
export function revisionOf(event: Omit<NewEvent, 'revision'>): string {
  const { title, start_ms, end_ms, all_day, timezone, location, conf_link } = event;
  const { organizer, attendees, description, status, series } = event;
  const { alarms, answers, task, free } = event;
  return fingerprint(
    [
      [title, start_ms, end_ms, all_day ?? 0, timezone, location, conf_link],
      [organizer, attendees, description, status, series],
      // Left out if absent, so that events without them keep their revision.
      ...(alarms || answers || task ? [[alarms, answers, task]] : []),
      ...(free ? [[free]] : []),
    ].map((part) => part.map((field) => field ?? null)),
  );
}
