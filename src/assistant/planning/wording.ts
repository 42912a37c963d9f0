import { xml } from '../../message-page.ts';
import { singleLine } from '../../single-line.ts';
import type { CalendarEvent, Change, User } from '../../store/schema.ts';
import { meetingLink } from '../entities/meeting-link.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import type { Payload, Words } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import type { Answer } from '../icalendar/series.ts';
import { textsFor } from '../messages/catalog.ts';
import type { Catalog } from '../messages/en.ts';
import { modelLine, modelText } from '../policy/policy.ts';
import { formatDate, shortDate, spokenDate } from './date-format.ts';

interface Facts {
  readonly name: string;
  readonly locale: string;
  readonly timezone: string;
  readonly title: string;
  readonly startMs: number;
  readonly allDay: boolean;
  readonly location: string | null;
  readonly confLink: string | null;
  /** True if the link is the address of a page and not of an online meeting. */
  readonly isPage?: boolean;
  /** The start announced in an earlier reminder, before the event moved. */
  readonly movedFromMs?: number | undefined;
  /** True if the organizer has not confirmed the event. */
  readonly tentative?: boolean;
  readonly answer?: Answer | undefined;
  /** Set for tasks: 0 on the day when it is due, else the days since then. */
  readonly overdueDays?: number | undefined;
  readonly why?: string | undefined;
  /** What the prompt says that the event names. */
  readonly prompt?: string | undefined;
}

/** What every message about an occurrence says. */
export function factsOf(
  user: User,
  event: CalendarEvent,
  occurrence: Pick<Occurrence, 'title' | 'location' | 'startMs'> & Partial<Pick<Occurrence, 'description'>>,
): Facts {
  const { title, location, startMs } = occurrence;
  const meeting = meetingLink(event, occurrence);
  const { locale, timezone } = preferencesOf(user);
  return {
    name: user.name,
    locale,
    timezone,
    title,
    startMs,
    allDay: event.all_day === 1,
    location,
    confLink: meeting ?? event.conf_link,
    ...(meeting === undefined && { isPage: true }),
  };
}

/** Writes a reminder. Time and place always come from the event, never from the policy's words. */
export function wordReminder(facts: Facts, words: Words = {}): Payload {
  const texts = textsFor(facts.locale);
  const { title, when, where, link } = displayFields(facts, texts);
  const before = facts.movedFromMs === undefined ? '' : formatDate({ ...facts, startMs: facts.movedFromMs });
  const opening = modelText(words.text ?? '', 1500);
  const task = facts.overdueDays !== undefined;
  // A reminder can have the first line of its prompt as title.
  const prompt =
    facts.prompt === undefined || singleLine(facts.prompt, 150) === title ? undefined : facts.prompt;
  const notes = [
    ...(facts.tentative ? [texts.tentative] : []),
    ...(facts.answer === 'tentative' || facts.answer === 'needs-action' ? [texts.answers[facts.answer]] : []),
    ...(before === '' ? [] : [texts.movedBefore(before)]),
  ];
  const lines = [
    texts.hello(singleLine(facts.name)),
    ...(opening === '' ? [] : ['', opening]),
    '',
    title,
    texts.labelled(task ? texts.due : texts.when, `${when}${facts.allDay ? '' : ` (${facts.timezone})`}`),
    ...notes,
    ...(where === '' ? [] : [texts.labelled(texts.where, where)]),
    ...(link === '' ? [] : [linkLine(facts, texts, link)]),
    ...(prompt === undefined ? [] : ['', ...prompt.split('\n')]),
  ];
  const spoken = modelLine(words.script ?? '', 600);
  const standard = task
    ? taskSubject(facts, texts, title, shortDate(facts))
    : [title, shortDate(facts), ...(where === '' ? [] : [singleLine(where, 60)])].join(', ');
  const why = modelLine(facts.why ?? '', 300);
  return {
    subject: modelLine(words.subject ?? '') || singleLine(standard),
    text: `${lines.join('\n')}\n`,
    html: messageHtml(facts.locale, lines, link),
    script: [
      texts.spokenHello(singleLine(facts.name)),
      ...(spoken === '' ? [] : [spoken]),
      texts.spokenReminder(title, spokenDate(facts), where),
      ...notes,
      ...(prompt === undefined ? [] : [singleLine(prompt, 600)]),
    ].join(' '),
    place: where,
    title,
    ...(facts.allDay && { allDay: true }),
    ...(link !== '' && { link }),
    ...(notes.length > 0 && { notes }),
    ...(why !== '' && { why }),
    ...(prompt !== undefined && { prompt }),
    ...(Object.keys(words).length > 0 && { words }),
  };
}

function taskSubject({ overdueDays = 0 }: Facts, texts: Catalog, title: string, when: string): string {
  return overdueDays > 0 ? texts.overdueTask(title, overdueDays) : texts.dueTask(title, when);
}

/** What the user knew before a change. */
export interface Announced {
  readonly startMs: number;
  /** Undefined if an older message did not record the place. */
  readonly place: string | undefined;
  /** True if a message about it was sent; false if one was about to be. */
  readonly told: boolean;
}

/** Writes one notice of everything that changed, with what the user was told before. */
export function wordChange(facts: Facts, change: Change, announced: Announced): Payload {
  const texts = textsFor(facts.locale);
  const { title, when, where, link } = displayFields(facts, texts);
  const before = formatDate({ ...facts, startMs: announced.startMs });
  const cancelled = change === 'cancelled';
  const moved = !cancelled && announced.startMs !== facts.startMs;
  const relocated = !cancelled && announced.place !== undefined && announced.place !== where;
  const inOneLine = (now: string, then: string) =>
    ({
      moved: texts.movedSubject(title, now),
      place: texts.placeSubject(title, where || texts.noPlace),
      cancelled: texts.cancelledSubject(title, then),
      restored: texts.restoredSubject(title, now),
    })[change];
  const subject = inOneLine(shortDate(facts), shortDate({ ...facts, startMs: announced.startMs }));
  const news = [
    ...(cancelled ? [texts.cancelledNews(announced.told)] : []),
    ...(change === 'restored' ? [texts.restoredNews] : []),
    ...(change !== 'restored' && moved ? [texts.movedNews(before, announced.told)] : []),
    ...(relocated ? [texts.placeNews(announced.place || texts.noPlace, announced.told)] : []),
  ];
  const zone = facts.allDay ? '' : ` (${facts.timezone})`;
  const lines = [
    texts.hello(singleLine(facts.name)),
    '',
    title,
    cancelled
      ? texts.labelled(texts.cancelled, `${before}${zone}`)
      : texts.labelled(moved ? texts.now : texts.when, `${when}${zone}`),
    ...news,
    ...(cancelled || where === '' ? [] : [texts.labelled(texts.where, where)]),
    ...(cancelled || link === '' ? [] : [linkLine(facts, texts, link)]),
  ];
  return {
    subject: singleLine(subject),
    text: `${lines.join('\n')}\n`,
    html: messageHtml(facts.locale, lines, link),
    script: singleLine(
      `${texts.spokenHello(singleLine(facts.name))} ${inOneLine(spokenDate(facts), spokenDate({ ...facts, startMs: announced.startMs }))}. ${news.join(' ')}`,
      600,
    ),
    notes: news,
    ...(cancelled || link === '' ? {} : { link }),
    place: where,
    why: announced.told ? texts.reasons.told : texts.reasons.soon,
    ...(!announced.told && { was: { startMs: announced.startMs, place: announced.place ?? '' } }),
  };
}

/** The displayed fields of an event, each shortened to a single line. */
function displayFields(facts: Facts, texts: Catalog) {
  const { confLink } = facts;
  return {
    title: singleLine(facts.title, 150) || texts.anEvent,
    when: formatDate(facts),
    where: placeOf(facts.location),
    link: confLink !== null && /^https?:\/\/\S{1,2000}$/.test(confLink) ? confLink : '',
  };
}

function linkLine({ isPage }: Facts, texts: Catalog, link: string): string {
  return texts.labelled(isPage ? texts.link : texts.join, link);
}

/** A place as messages show it. */
export function placeOf(location: string | null): string {
  return location === null ? '' : singleLine(location, 200);
}

const rightToLeft = /^(ar|fa|he|ur)\b/;

/** The lines of a message as HTML that follows the light or dark theme of the mail program. */
export function messageHtml(locale: string, lines: readonly string[], link = ''): string {
  const body = lines
    .map((line) => {
      const label = link !== '' && line.endsWith(`: ${link}`) ? line.slice(0, -link.length) : undefined;
      return label === undefined ? xml(line) : `${xml(label)}<a href="${xml(link)}">${xml(link)}</a>`;
    })
    .join('<br>\n')
    .replaceAll('<br>\n<br>\n', '</p>\n<p>');
  const direction = rightToLeft.test(locale) ? 'rtl' : 'ltr';
  return `<!doctype html>
<html lang="${xml(locale)}" dir="${direction}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40em}</style></head><body><p>${body}</p></body></html>
`;
}
