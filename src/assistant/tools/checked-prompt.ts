import type { Context } from '../../context.ts';
import type { AssistantData } from '../entities/entity-access.ts';

interface Facts {
  readonly title?: string | undefined;
  readonly start_ts?: string | undefined;
  readonly location?: string | undefined;
}

/** What a text says that somebody writes now. Throws a failure if there is no such prompt, or the caller may not use it. */
export async function promptTextNow(
  { expand }: AssistantData,
  text: string,
  { title = '', start_ts: start = '', location: place = '' }: Facts,
  context: Context,
): Promise<string | undefined> {
  return expand?.(text, { title, start, place, end: '', people: '', link: '' }, context);
}

/** The description of an event as its prompt, if it names one. */
export async function checkedPrompt(
  data: AssistantData,
  { description = '', ...facts }: Facts & { readonly description?: string | undefined },
  context: Context,
): Promise<{ readonly prompt?: string }> {
  const said = await promptTextNow(data, description, facts, context);
  return said === undefined ? {} : { prompt: description };
}
