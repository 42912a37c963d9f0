import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { eventFacts } from '../entities/matching-events.ts';
import type { Listed } from '../entities/occurrence-list.ts';

// The description of an event can be a text of the form `:name words`. Its reminders then say what that prompt says, with the facts
// of the occurrence as arguments. This holds only for the text that somebody wrote here who may use prompts, which is also in the
// column `prompt`: an invitation must not choose what is read from the library.

const maxLength = 4000;

/** What the prompt of an occurrence says. Without the prompt, the reminder says the rest. */
export async function promptTextOf({ expand }: AssistantData, listed: Listed): Promise<string | undefined> {
  const { event, occurrence } = listed;
  if (event.prompt === null || event.prompt !== occurrence.description) return undefined;
  const { description: _, ...facts } = eventFacts(listed);
  try {
    return (await expand?.(event.prompt, facts))?.trim().slice(0, maxLength);
  } catch (error) {
    log('warning', `the reminders of event ${event.id} do without their prompt: ${messageOf(error)}`);
    return undefined;
  }
}
