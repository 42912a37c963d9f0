import type { CalendarEvent } from '../../store/schema.ts';
import type { Occurrence } from '../entities/occurrence.ts';

/** Kinds of events that people want to be reminded of differently. */
export const eventKinds = ['task', 'all_day', 'flight', 'doctor', 'online', 'place'] as const;
export type EventKind = (typeof eventKinds)[number];

/** Built-in reminders by kind. Travel time is added for places. Other events have one an hour before. */
export const defaultLeads: Readonly<Record<EventKind | 'default', readonly string[]>> = {
  task: ['09:00'],
  all_day: ['1d 17:00'],
  flight: ['1d', '2h'],
  doctor: ['1d', '2h'],
  online: ['10m'],
  place: ['30m'],
  default: ['60m'],
};

const flight = /\b(flights?|flug|flüge|vols? [A-Z0-9]{2}|vuelos?)\b/iu;
const doctor =
  /(?<!\p{L})(doctor|dentist|physician|pediatrician|(\p{L}*arzt|\p{L}*ärztin)(termin)?|médecin|dentiste|médico|dentista)(?!\p{L})/iu;

/** What kind of event this is. The title is text from others: it only selects among the user's own settings. */
export function kindOf(event: CalendarEvent, { title, location, task }: Occurrence): EventKind | undefined {
  if (task !== undefined) return 'task';
  if (event.all_day === 1) return 'all_day';
  if (flight.test(title)) return 'flight';
  if (doctor.test(title)) return 'doctor';
  const place = location?.trim() ?? '';
  if (event.conf_link !== null || /^\w+:\/\//.test(place)) return 'online';
  return place === '' ? undefined : 'place';
}
