import type { CalendarEvent } from '../../store/schema.ts';

/** Words of a question that say nothing about an event. */
const fillers = new Set(
  'a an and at der den die das de del des du el event for la le les los meeting mein meine mi mit mon my of on the um un und with y zu'.split(
    ' ',
  ),
);

/** Matches texts that contain all words of a query, in any order and form: `café` finds "Cafe", `dentist` "Dentists". */
export function matcher(
  query: string,
): (event: Pick<CalendarEvent, 'organizer' | 'attendees'>, texts: readonly (string | null)[]) => boolean {
  const all = plain(query).split(/[^\p{L}\p{N}@.]+/u);
  const said = all.filter((word) => word !== '');
  const telling = said.filter((word) => !fillers.has(word));
  const words = telling.length > 0 ? telling : said;
  return ({ organizer, attendees }, texts) => {
    const text = plain([...texts, organizer, attendees].filter((one) => one !== null).join('\n'));
    // "LH400" finds "LH 400".
    const joined = text.replaceAll(/(?<=\p{L}) (?=\d)/gu, '');
    return words.every((word) => text.includes(word) || joined.includes(word));
  };
}

/** Lower case, without accents. */
export function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
