import type { ToolAnswer } from '../../api.ts';
import { Failure } from '../../failure.ts';
import { channelsText, showTime, toolArguments, warningLines, zoneIn } from '../client/tool-command.ts';
import { single, text, UsageError } from '../terminal/command.ts';
import { fitted } from '../terminal/wrap.ts';

/** A sentence without quotes can end with this many words about the time. */
const maxTimeWords = 8;

/** Words of times. Next to a time that is understood, they can be a part of it. */
const timeWord =
  /(?:\d{1,2}(?:[:.h]\d\d|am|pm|h|uhr),?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|minutes?|hours?|days?|weeks?|months?|years?|next|last|this|ago|at|on|in|from|after|before|until|till|by|not|or|and|between|every|half|past|quarter|mo(?:ntag|rgen)|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|heute|übermorgen|gestern|wochen?|monate?n?|tage?n?|stunden?|minuten?|um|am|nächste[nrs]?|letzte[nrs]?|kommende[nrs]?|von|nach|vor|bis|nicht|oder|und|zwischen|jede[nrs]?|halb|viertel|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|hier|semaines?|mois|jours?|heures?|prochaine?|derni(?:er|ère)|à|le|avant|après|chaque|entre|et|ou|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|ayer|semanas?|mes(?:es)?|días?|horas?|minutos?|próxim[oa]|pasad[oa]|el|las|antes|después|hasta|cada)/;

/**
 * If such a word stands before a time that is understood, a part of the time is not: "call ben friday week at 10:00" is no reminder
 * of "call ben friday week". The same is true after a time.
 */
const ofTime = new RegExp(`(?:^|\\s)${timeWord.source}$`, 'i');
const onTime = new RegExp(`^${timeWord.source}(?:\\s|$)`, 'i');

const flags = {
  for: text('PERSON', 'Whom to remind, by name; you, unless given', { argument: 'who' }),
  channel: text('CHANNEL', 'By which channel, such as sms or call; the preferred one, unless given'),
  repeat: text('RULE', 'How it repeats, such as "every weekday" or monthly; WHEN is then the first time'),
};

export const remind = single('remind', {
  summary: 'Set a reminder',
  args: 'TEXT WHEN…',
  notes: {
    TEXT: 'what to remind of',
    WHEN: '"in 10 minutes", "friday 18:00", "every weekday at 7", "2027-06-12 09:00"',
  },
  flags,
  examples: [
    'remind "call mum" tomorrow 18:00',
    'remind me in 10 minutes to stretch',
    'remind "water the plants" sunday 10:00 --repeat weekly',
  ],
  async run({ connect, flags: given, words, terminal }) {
    const readings = await readingsOf(words);
    if (readings.length === 0)
      throw new UsageError('say what and when\n  Example: adjutant remind "call mum" tomorrow 18:00');
    const client = await connect();
    let refusal: unknown;
    for (const reading of readings) {
      try {
        const { value } = await client.call('remind', { ...reading, ...toolArguments(given, flags) });
        terminal.report(value, () => fitted(show(value), terminal));
        return 0;
      } catch (error) {
        // Another place to divide the sentence may give a time. A time that is understood and refused stays refused.
        if (!(error instanceof Failure) || error.issues[0]?.path[0] !== 'when' || error.data?.['understood'])
          throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  },
});

interface Reading {
  readonly text: string;
  readonly when: string;
}

/** The ways to divide the words into text and time, most likely first. */
async function readingsOf(words: readonly string[]): Promise<readonly Reading[]> {
  const [first = '', ...others] = words;
  if (first.toLowerCase() === 'me' || first.toLowerCase() === 'to') {
    const said = first.toLowerCase() === 'me' ? others : words;
    const sentence = said.join(' ').trim();
    const [, when, text] = /^(.+?) (?:to|that) (.+)$/i.exec(sentence) ?? [];
    const whenFirst = when && text && !/^to\b/i.test(sentence) ? [{ text, when }] : [];
    const spoken = sentence.replace(/^(?:to|that|about) /i, '');
    const parts = spoken.split(' ');
    const quoted = textLast(said);
    if (quoted.length > 0) return [...quoted, ...whenFirst, ...endings(parts)];
    if (spoken !== sentence || (when && text && (await isTime(when))))
      return [...whenFirst, ...endings(parts)];
    return [...whenFirst, ...(await divided(parts))];
  }
  if (others.length === 0) return endings(first.split(' '));
  const quoted = textLast(words);
  return [
    { text: first, when: others.join(' ') },
    ...(first.includes(' ') ? [] : quoted.length > 0 ? [...quoted, ...endings(words)] : await divided(words)),
  ];
}
/** A text in quotes after the time. */
function textLast(words: readonly string[]): readonly Reading[] {
  const last = words.at(-1) ?? '';
  return words.length > 1 && last.includes(' ') ? [{ text: last, when: words.slice(0, -1).join(' ') }] : [];
}

/** A sentence without quotes, with the time at its start or at its end. With a time at both, only the person knows which one counts. */
async function divided(words: readonly string[]): Promise<readonly Reading[]> {
  const ends = endings(words);
  const first = await understood(beginnings(words));
  if (first === undefined) return ends;
  const last = await understood(ends);
  // "monday meeting tomorrow 9:00" is at a time that is complete, and the text begins with a day.
  if (last !== undefined && !/\d/.test(first.when) && !/^(?:\p{L}{1,3} )?\d/u.test(last.when)) return ends;
  if (last !== undefined)
    throw new UsageError(
      `both "${first.when}" and "${last.when}" can be the time; write the text in quotes\n  Example: adjutant remind "call mum" tomorrow 18:00`,
    );
  return [first];
}

/** The first reading whose time is one. */
async function understood(readings: readonly Reading[]): Promise<Reading | undefined> {
  for (const reading of readings) if (await isTime(reading.when)) return reading;
  return undefined;
}

/** True also for a time that cannot be taken, such as one that is past. */
async function isTime(words: string): Promise<boolean> {
  if (/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?$/.test(words)) return true;
  const [{ readTimeWords }, { isRecurrence, readRecurrence }] = await Promise.all([
    import('../../recurrence/time-words.ts'),
    import('../../recurrence/recurrence-words.ts'),
  ]);
  try {
    if (isRecurrence(words)) readRecurrence(words, 'UTC');
    else await readTimeWords(words, 'UTC', Date.now());
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.data?.['understood'] === true;
  }
}

/** The time at the start, in as many words as possible, where nothing after it belongs to a time. */
function beginnings(words: readonly string[]): readonly Reading[] {
  const longest = Math.min(maxTimeWords, words.length - 1);
  return Array.from({ length: Math.max(0, longest) }, (_, index) => ({
    text: words.slice(longest - index).join(' '),
    when: words.slice(0, longest - index).join(' '),
  })).filter(({ text }) => !onTime.test(text));
}

/** The time at the end, in as many words as possible, where nothing before it belongs to a time. */
function endings(words: readonly string[]): readonly Reading[] {
  const longest = Math.min(maxTimeWords, words.length - 1);
  return Array.from({ length: Math.max(0, longest) }, (_, index) => {
    const at = words.length - (longest - index);
    return { text: words.slice(0, at).join(' '), when: words.slice(at).join(' ') };
  }).filter(({ text }) => !ofTime.test(text));
}

function show(reminder: ToolAnswer<'remind'>): string {
  const { text: what, when, start_ts, repeats, planned, quiet_hours, warnings } = reminder;
  const zone = zoneIn(when);
  const channels = channelsText(planned);
  return [
    `✓ ${what}: ${showTime(start_ts, zone)} (${zone})${channels === '' ? '' : `, ${channels}`}`,
    ...(repeats === undefined ? [] : [`  Repeats: ${repeats}`]),
    ...(quiet_hours === undefined ? [] : [`  ${quiet_hours}`]),
    ...warningLines(warnings),
  ].join('\n');
}
