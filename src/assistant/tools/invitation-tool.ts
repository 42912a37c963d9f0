import type { Outreach } from '../../outreach.ts';
import { defineTool, hints } from '../../tool.ts';
import type { CalendarOptions } from '../calendar/sync.ts';
import { type AssistantData, findEvent } from '../entities/entity-access.ts';
import { invitation } from '../entities/occurrence.ts';
import { answerFields, eventId } from './fields.ts';
import { namedOccurrence } from './named-occurrence.ts';

/** Time for the server. */
const timeoutMs = 2 * 60_000;

export function invitationTool(data: AssistantData, options: CalendarOptions, outreach: Outreach) {
  return defineTool({
    name: 'answer_invitation',
    toolsets: ['calendar'],
    scope: 'calendar:USER',
    title: 'Answer Invitation',
    description:
      'Answers an invitation from a CalDAV server or from somebody here. Says whether the organizer is notified.',
    phrases:
      'accept decline tentative maybe RSVP reply answer respond invitation invite meeting request attend say yes no organizer',
    inputSchema: {
      type: 'object',
      properties: { event_id: eventId, ...answerFields },
      required: ['event_id', 'answer'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['event_id', 'answer', 'organizer', 'organizer_notified'],
      properties: {
        event_id: { type: 'string' },
        answer: { type: 'string' },
        organizer: { type: 'string' },
        organizer_notified: { type: 'boolean', description: 'If false, tell the organizer yourself' },
      },
    },
    annotations: { ...hints.replaces, openWorldHint: true },
    timeoutMs,
    async call({ event_id, answer, occurrence }, { signal }) {
      const event = await data.store.read((db) => findEvent(db, event_id));
      const { answerInvitation } = await import('../writeback/writeback.ts');
      const key = await namedOccurrence(data, event, occurrence);
      const answered = await answerInvitation({ data, options }, event, answer, key, signal);
      const { organizer, notified } = answered;
      if (answered.event.provider === invitation) {
        const { tellOrganizer } = await import('./guest-news.ts');
        await tellOrganizer(data, outreach, answered.event);
      }
      return { structured: { event_id, answer, organizer, organizer_notified: notified !== undefined } };
    },
  });
}
