import { describe, expect, it } from 'vitest';
import type { CalendarEvent, User } from '../../store/schema.ts';
import { describeTiming, sayWhen } from './date-format.ts';
import { factsOf, wordReminder } from './wording.ts';

const facts = {
  name: 'Ada',
  locale: 'en',
  timezone: 'Europe/Berlin',
  title: 'Board meeting',
  startMs: Date.parse('2026-11-17T13:00:00Z'),
  allDay: false,
  location: 'Main Street 1',
  confLink: 'https://meet.example.com/board?a=1&b=2',
};

describe('a reminder', () => {
  it('contains title, local time, place and link', () => {
    const { subject, text, html, script } = wordReminder(facts);
    expect(subject).toBe('Board meeting, Tue, Nov 17, 2:00 PM, Main Street 1');
    expect(text).toBe(
      'Hello Ada,\n\nBoard meeting\nWhen: Tuesday, November 17, 2026 at 2:00 PM (Europe/Berlin)\nWhere: Main Street 1\nJoin: https://meet.example.com/board?a=1&b=2\n',
    );
    expect(html).toContain('<a href="https://meet.example.com/board?a=1&amp;b=2">');
    expect(script).toBe(
      'Hello Ada. This is a reminder of Board meeting, Tuesday, November 17 at 2:00 PM, at Main Street 1.',
    );
  });

  it('shows only the date of an all-day event, in the language of the user', () => {
    const { text } = wordReminder({ ...facts, allDay: true, locale: 'de', location: null, confLink: null });
    expect(text).toBe('Hallo Ada,\n\nBoard meeting\nWann: Dienstag, 17. November 2026\n');
  });

  it('cannot be given extra lines by the title or location', () => {
    const title = 'Lunch\r\nBcc: eve@evil.example\u2028\u202Etxt.exe';
    const { subject, text } = wordReminder({
      ...facts,
      title,
      location: 'Roof\nJoin: https://evil.example/x',
    });
    expect(subject).not.toMatch(/[\r\n\u2028\u202E]/);
    expect(text.split('\n').filter((line) => line.startsWith('Join:'))).toEqual([`Join: ${facts.confLink}`]);
  });

  it.each([
    ['en', 'Link: ', 'Join: '],
    ['de', 'Link: ', 'Teilnehmen: '],
    ['fr', 'Lien : ', 'Rejoindre : '],
    ['es', 'Enlace: ', 'Unirse: '],
  ])('says in %s whether a link is a page or an online meeting', (locale, page, meeting) => {
    const user = { name: 'Ada', locale, timezone: 'UTC', channels: null } as User;
    const event = { provider: 'caldav:1', all_day: 0 };
    const lineOf = (conf_link: string) => {
      const imported = { ...event, conf_link } as CalendarEvent;
      const facts = factsOf(user, imported, { title: 'Concert', location: null, startMs: 0 });
      return wordReminder(facts).text.trimEnd().split('\n').at(-1);
    };
    expect(lineOf('https://tickets.example.com/1')).toBe(`${page}https://tickets.example.com/1`);
    expect(lineOf('https://zoom.us/j/1')).toBe(`${meeting}https://zoom.us/j/1`);
  });

  it('escapes markup in the event', () => {
    const { html } = wordReminder({
      ...facts,
      title: '<img src=x onerror=alert(1)>',
      confLink: 'javascript:alert(1)',
    });
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('javascript:');
  });

  it.each([
    'https://evil.example/a',
    'www.evil.example',
    'mailto:eve@evil.example',
    'evil.example/login?x=1',
    'data://x',
  ])('removes %s from the text of a policy', (link) => {
    const { subject, text, script } = wordReminder(facts, {
      subject: `See ${link}`,
      text: `Go to ${link} now`,
      script: link,
    });
    expect([subject, text, script].join(' ')).not.toContain(link);
    expect(text).toContain('Go to (link removed) now');
  });

  it('has a default subject if the policy gave no usable one', () => {
    expect(wordReminder(facts, { subject: ' \r\n\u0000 ' }).subject).toMatch(/^Board meeting/);
    expect(wordReminder({ ...facts, title: ' \u0007 ' }).subject).toMatch(/^an event/);
  });

  it('uses English dates for an unknown locale', () => {
    expect(wordReminder({ ...facts, locale: 'no-such-locale-at-all' }).subject).toContain('Nov 17');
  });
});

describe('when something starts, on a lock screen', () => {
  const nowMs = Date.parse('2026-03-18T12:00:00Z');
  const say = (locale: string, minutes: number, allDay = false) =>
    sayWhen({ startMs: nowMs + minutes * 60_000, locale, timezone: 'Europe/Berlin', allDay }, nowMs);

  it.each([
    ['en', ['now', 'in 30 min', '5 min ago', 'tomorrow 1:00 PM', 'Friday 1:00 PM', 'tomorrow']],
    ['de', ['jetzt', 'in 30 Min', 'vor 5 Min', 'morgen 13:00', 'Freitag 13:00', 'morgen']],
    ['fr', ['maintenant', 'dans 30 min', 'il y a 5 min', 'demain 13:00', 'vendredi 13:00', 'demain']],
    ['es', ['ahora', 'dentro de 30 min', 'hace 5 min', 'mañana 13:00', 'viernes 13:00', 'mañana']],
  ])('is said in %s as people say it', (locale, expected) => {
    const timed = [0, 30, -5, 1440, 2880].map((minutes) => say(locale, minutes));
    expect([...timed, say(locale, 660, true)].map((text) => text.replaceAll(/\s/gu, ' '))).toEqual(expected);
  });

  it('counts a reminder of a whole day by days, not by the hours to midnight', () => {
    expect(describeTiming(-420, 0, 'en', true)).toBe('at 17:00 on the day before');
    expect(describeTiming(540, 0, 'de', true)).toBe('um 09:00 am Tag selbst');
  });
});
