import type { CalendarEvent } from '../../store/schema.ts';
import type { Occurrence } from './occurrence.ts';

/** Services for online meetings, with their subdomains, and the usual names of own servers such as meet.example.com. */
const services =
  '(?:zoom\\.us|zoomgov\\.com|teams\\.microsoft\\.com|teams\\.live\\.com|meet\\.google\\.com|webex\\.com|whereby\\.com|gotomeeting\\.com|meet\\.goto\\.com|bluejeans\\.com|chime\\.aws|jit\\.si|join\\.skype\\.com|around\\.co|livestorm\\.co)';
const meetingUrl = new RegExp(
  `https://(?:(?:[a-z0-9-]{1,63}\\.){0,4}${services}|(?:meet|jitsi|bbb|conference|webconf)\\.[a-z0-9.-]{1,200})(?::\\d{1,5})?(?:/[^\\s<>"')\\]]{0,2000})?(?![a-z0-9.-])`,
  'iu',
);
/** The rest of a longer text is not searched. */
const maxSearched = 20_000;

/**
 * The address of the online meeting of an event, from its link, place or description. The link of a local event is always
 * one, because people set it as such; the URL of an imported event can be any page.
 */
export function meetingLink(
  { conf_link, provider }: Pick<CalendarEvent, 'conf_link' | 'provider'>,
  { location, description }: Partial<Pick<Occurrence, 'location' | 'description'>>,
): string | undefined {
  if (conf_link !== null && provider === 'local') return conf_link;
  for (const text of [conf_link, location, description]) {
    const found = meetingUrl.exec(text?.slice(0, maxSearched) ?? '')?.[0];
    if (found !== undefined) return found.replace(/[.,;:!?]+$/, '');
  }
  return undefined;
}
