import { Failure } from '../../failure.ts';
import type { RecurrenceInWords } from '../../recurrence/recurrence-words.ts';
import { inDigits, localTime, parseTime } from '../../recurrence/written-time.ts';
import { singleLine } from '../../single-line.ts';
import type { User } from '../../store/schema.ts';
import { defineTool, hints } from '../../tool.ts';
import { reachableBy } from '../entities/channels.ts';
import { findUser } from '../entities/entity-access.ts';
import { readLeads } from '../entities/lead-times.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { plannedShape } from '../entities/shapes.ts';
import { timestamp } from '../entities/view.ts';
import { promptTextNow } from './checked-prompt.ts';
import { eventTitle, userId } from './fields.ts';
import { type Planning, planWritten } from './saved-event.ts';

const text = { type: 'string' } as const;

const remindFields = {
  text: { ...eventTitle, description: 'What to remind of, or :prompt' },
  when: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'E.g. in 10 minutes, tomorrow 18:00, every weekday at 07:00, or local 2026-03-01T18:00',
  },
  repeat: {
    type: 'string',
    maxLength: 200,
    description: 'E.g. every monday, or an RRULE. when is then the first time',
  },
  who: { ...userId, description: 'Id, name or mail address' },
  channel: { type: 'string', pattern: '^[A-Za-z -]{1,20}$', description: 'E.g. sms' },
} as const;

/** Sets a reminder: an event without a length, with one reminder at its start. */
export function remindTool(planning: Planning, timeoutMs: number) {
  const { data } = planning;
  return defineTool({
    name: 'remind',
    toolsets: ['calendar', 'notifications'],
    scope: 'calendar:USER',
    core: 'always',
    title: 'Remind',
    description:
      'Sets a reminder at a time, once or repeatedly; use it whenever somebody wants to be reminded or alerted. Returns the time as understood and warnings: tell the user both. The time is kept also in quiet hours.',
    phrases:
      'remind me set create add new a reminder alarm alert timer wake me up ping nudge notify tell me at in minutes hours tomorrow tonight every day do not let me forget remember to call mum take pills water plants bins stretch',
    inputSchema: {
      type: 'object',
      properties: remindFields,
      required: ['text', 'when'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['event_id', 'user_id', 'text', 'start_ts', 'when', 'planned'],
      properties: {
        event_id: { type: 'string', description: 'For update_event and delete_event' },
        user_id: text,
        text,
        start_ts: text,
        when: { type: 'string', description: 'The time as understood' },
        repeats: { type: 'string', description: 'How it repeats' },
        quiet_hours: { type: 'string', description: 'Set if the time is in quiet hours' },
        ...plannedShape,
      },
    },
    annotations: hints.adds,
    timeoutMs,
    async call({ text: written, when, repeat, who, channel }, context) {
      const user = await data.store.read((db) => findUser(db, who));
      const nowMs = data.clock();
      const reminders = readLeads(user, [channel === undefined ? '0m!' : `0m! ${channel}`]);
      const { start, rule, repeats } = await readWhen(user, when, repeat, nowMs);
      const zone = preferencesOf(user).timezone;
      const { ms, allDay } = parseTime(start, zone, 'when', nowMs);
      if (allDay) {
        const { withoutTime } = await import('../../recurrence/time-words.ts');
        throw invalid(withoutTime(when).message);
      }
      if (ms <= nowMs) throw invalid(`"${when}" is past: ${localTime(ms, zone, nowMs)}.`);
      const said = await promptTextNow(data, written, { start_ts: localTime(ms, zone, nowMs) }, context);
      // The first line of what the prompt says.
      const title = singleLine(said?.trim().split('\n')[0] ?? '', 150) || written;
      const { createEvent } = await import('../editing/events.ts');
      const event = await createEvent(data, user.id, {
        title,
        ...(said !== undefined && { description: written, prompt: written }),
        start_ts: start,
        end_ts: start,
        reminders,
        ...(rule !== undefined && { rrule: rule }),
      });
      return {
        structured: {
          event_id: event.id,
          user_id: user.id,
          text: title,
          start_ts: timestamp(ms),
          when: localTime(ms, zone, nowMs),
          ...(repeats !== undefined && { repeats }),
          ...(await quietNote(user, ms)),
          ...(await planWritten(planning, event, context)),
        },
      };
    },
  });
}

/** The first time, as digits, and the rule. */
async function readWhen(user: User, when: string, repeat: string | undefined, nowMs: number) {
  const { firstStart, isRecurrence, readRecurrence } = await import('../../recurrence/recurrence-words.ts');
  const { timezone, locale } = preferencesOf(user);
  const repeated = repeat ?? (isRecurrence(when) ? when : undefined);
  if (repeated === undefined) return { start: await inDigits(when, timezone, nowMs, locale, 'when') };
  const { rule, time } = readRule(repeated, (words) => readRecurrence(words, timezone));
  if (/FREQ=(SECONDLY|MINUTELY)/i.test(rule)) throw invalid('A reminder can repeat every hour at most.');
  if (repeated !== when && !isRecurrence(when)) {
    const start = await inDigits(when, timezone, nowMs, locale, 'when');
    return {
      start: time !== undefined && !start.includes('T') ? `${start}T${time}` : start,
      rule,
      repeats: repeated,
    };
  }
  if (time === undefined)
    throw invalid(`"${repeated}" says no time of day. Say, for example, "${repeated} at 09:00".`);
  const start = firstStart(rule, time, timezone, nowMs);
  if (start === undefined) throw invalid(`"${repeated}" has no date in the next two years.`);
  return { start, rule, repeats: repeated };
}

function readRule(written: string, read: (written: string) => RecurrenceInWords) {
  if (/^(RRULE:)?FREQ=/i.test(written)) return { rule: written, time: undefined };
  try {
    return read(written);
  } catch (error) {
    throw error instanceof Failure ? invalid(error.message) : error;
  }
}

async function quietNote(user: User, ms: number): Promise<{ readonly quiet_hours?: string }> {
  const { channelsAt } = await import('../policy/guards.ts');
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  if (reachable.length === 0 || channelsAt(ms, preferences, reachable).length > 0) return {};
  return {
    quiet_hours: `The quiet hours are from ${preferences.quietStart} to ${preferences.quietEnd}. The reminder comes all the same, because its time was named.`,
  };
}

function invalid(problem: string): Failure {
  return new Failure('invalid-params', problem, {
    data: { understood: true },
    issues: [{ path: ['when'], keyword: 'format', expected: 'date-time', message: problem }],
  });
}
