import { describe, expect, it } from 'vitest';
import type { CalendarEvent } from '../../store/schema.ts';
import { meetingLink } from './meeting-link.ts';
import type { Occurrence } from './occurrence.ts';
import { kindOf } from './reminders.ts';

const kind = (more: { title?: string; url?: string; location?: string; description?: string }) =>
  kindOf(
    { all_day: 0, provider: 'ics', conf_link: more.url ?? null } as CalendarEvent,
    { title: 'Event', location: null, description: null, ...more } as unknown as Occurrence,
  );

describe('the kind of an event', () => {
  it.each([
    ['a concert with a URL', { url: 'https://tickets.example.com/42' }, undefined],
    [
      'a concert with a URL and a place',
      { url: 'https://tickets.example.com/42', location: 'Arena' },
      'place',
    ],
    ['a host that only ends like Zoom', { description: 'https://evilzoom.us.example.com/j/1' }, undefined],
    [
      'Zoom in the description',
      { location: 'Room 4', description: 'Join: https://acme.zoom.us/j/1?pwd=a.' },
      'online',
    ],
    [
      'Teams in the description',
      { description: '<https://teams.microsoft.com/l/meetup-join/19%3a>' },
      'online',
    ],
    ['Google Meet in the place', { location: 'https://meet.google.com/abc-defg-hij' }, 'online'],
    ['an own meeting server in URL', { url: 'https://meet.example.com/standup' }, 'online'],
    ['a flight number', { title: 'LH 400 FRA-JFK' }, 'flight'],
    ['a room number', { title: 'IT 101 lecture' }, undefined],
    ['a series on television', { title: 'Doctor Who marathon' }, undefined],
    ['an appointment', { title: 'Doctor Miller' }, 'doctor'],
  ])('%s', (_, more, expected) => expect(kind(more)).toBe(expected));

  it('comes with the link to join, without the punctuation after it', () => {
    const event = { provider: 'ics', conf_link: 'https://example.com/agenda' };
    const description = 'Agenda below. Join https://acme.zoom.us/j/1?pwd=a.\nBye';
    expect(meetingLink(event, { location: 'Room 4', description })).toBe('https://acme.zoom.us/j/1?pwd=a');
  });
});
