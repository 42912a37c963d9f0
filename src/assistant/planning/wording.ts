import { singleLine } from '../../single-line.ts';
import { xml } from '../channels/call.ts';
import type { Payload, Words } from '../entities/payload.ts';
import type { Change } from '../store/schema.ts';

export interface Facts {
  readonly name: string;
  readonly locale: string;
  readonly timezone: string;
  readonly title: string;
  readonly startMs: number;
  readonly allDay: boolean;
  readonly location: string | null;
  readonly confLink: string | null;
  /** The start announced in an earlier reminder, before the event moved. */
  readonly movedFromMs?: number | undefined;
}

/** Writes a reminder. Time and place always come from the event, never from the policy's words. */
export function wordReminder(facts: Facts, words: Words = {}): Payload {
  const { title, when, where, link } = displayFields(facts);
  const before = facts.movedFromMs === undefined ? '' : dateOf({ ...facts, startMs: facts.movedFromMs });
  const opening = plainText(words.text ?? '', 1500);
  const lines = [
    `Hello ${singleLine(facts.name)},`,
    ...(opening === '' ? [] : ['', opening]),
    '',
    title,
    `When: ${when}${facts.allDay ? '' : ` (${facts.timezone})`}`,
    ...(before === '' ? [] : [`Moved: you were reminded of ${before}.`]),
    ...(where === '' ? [] : [`Where: ${where}`]),
    ...(link === '' ? [] : [`Join: ${link}`]),
  ];
  const spoken = singleLine(withoutLinks(words.script ?? ''), 600);
  return {
    subject: singleLine(withoutLinks(words.subject ?? '')) || singleLine(`Reminder: ${title}, ${when}`),
    text: `${lines.join('\n')}\n`,
    html: html(lines, link),
    script: [
      `Hello ${singleLine(facts.name)}.`,
      ...(spoken === '' ? [] : [spoken]),
      `This is a reminder of ${title}, ${when}${where === '' ? '' : `, at ${where}`}.`,
      ...(before === '' ? [] : [`It was moved. Before, it was ${before}.`]),
    ].join(' '),
    ...(Object.keys(words).length > 0 && { words }),
  };
}

/** Writes the notice about an event that changed after the user was told about it. */
export function wordChange(facts: Facts, change: Change, announcedMs: number): Payload {
  const { title, when, where, link } = displayFields(facts);
  const announced = dateOf({ ...facts, startMs: announcedMs });
  const [subject, news] = {
    moved: [`Moved: ${title}, now ${when}`, `It was moved. You were reminded of ${announced}.`],
    cancelled: [`Cancelled: ${title}, ${announced}`, 'It has been cancelled. You were reminded of it.'],
    restored: [`Takes place after all: ${title}, ${when}`, 'You were told that it was cancelled.'],
  }[change] as [string, string];
  const zone = facts.allDay ? '' : ` (${facts.timezone})`;
  const cancelled = change === 'cancelled';
  const lines = [
    `Hello ${singleLine(facts.name)},`,
    '',
    title,
    ...(cancelled ? [`Cancelled: ${announced}${zone}`] : [`Now: ${when}${zone}`]),
    news,
    ...(cancelled || where === '' ? [] : [`Where: ${where}`]),
    ...(cancelled || link === '' ? [] : [`Join: ${link}`]),
  ];
  return {
    subject: singleLine(subject),
    text: `${lines.join('\n')}\n`,
    html: html(lines, link),
    script: singleLine(`Hello ${singleLine(facts.name)}. ${subject}. ${news}`, 600),
  };
}

/** The displayed fields of an event, each shortened to a single line. */
function displayFields(facts: Facts) {
  const { location, confLink } = facts;
  return {
    title: singleLine(facts.title, 150) || 'an event',
    when: dateOf(facts),
    where: location === null ? '' : singleLine(location, 200),
    link: confLink !== null && /^https?:\/\/\S{1,2000}$/.test(confLink) ? confLink : '',
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dateOf({ startMs, locale, timezone, allDay }: Facts): string {
  const key = JSON.stringify([locale, timezone, allDay]);
  let format = formats.get(key);
  if (format === undefined) {
    // Creating a DateTimeFormat is slow, so formats are cached.
    if (formats.size >= 200) formats.clear();
    format = formatFor(locale, {
      timeZone: timezone,
      dateStyle: 'full',
      ...(!allDay && { timeStyle: 'short' }),
    });
    formats.set(key, format);
  }
  return format.format(startMs);
}

function formatFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, options);
  } catch {
    return new Intl.DateTimeFormat('en', options);
  }
}

function plainText(text: string, maxLength: number): string {
  const lines = withoutLinks(text)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => singleLine(line, maxLength));
  const joined = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return joined.length <= maxLength ? joined : `${[...joined].slice(0, maxLength - 1).join('')}…`;
}

/** Removes links, so that text from outside cannot put a link into our messages. */
function withoutLinks(text: string): string {
  return text
    .replace(/(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|\bmailto:|\btel:)\S*/gi, '(link removed)')
    .replace(/(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\/\S*/gi, '(link removed)');
}

function html(lines: readonly string[], link: string): string {
  const body = lines
    .map((line) => (line === `Join: ${link}` ? `Join: <a href="${xml(link)}">${xml(link)}</a>` : xml(line)))
    .join('<br>\n');
  return `<!doctype html>\n<html><body><p>${body.replaceAll('<br>\n<br>\n', '</p>\n<p>')}</p></body></html>\n`;
}
