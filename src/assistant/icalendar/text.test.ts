import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import {
  componentsOf,
  createLine,
  joinLine,
  LineReader,
  parseObject,
  setLines,
  type TextLine,
  withParameter,
  writeObject,
} from './text.ts';

const eventOf = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');

function lineOf(text: string): TextLine {
  return createLine(text, '\r\n');
}

describe('an object that is read and written', () => {
  it.each([
    ['with a byte order mark', `\uFEFF${eventOf('SUMMARY:A')}`],
    ['with line feeds only', eventOf('SUMMARY:A').replaceAll('\r\n', '\n')],
    ['with folded and empty lines', eventOf('SUMMARY:A\r\n B\r\n\tC', '', ' ', 'X-OTHER;A="b:c":d  ')],
    ['with text around the calendar', `before\r\n${eventOf('SUMMARY:A')}after`],
    ['with lines that are no properties', eventOf('no property', 'CN="open:x', ':')],
    ['with a line that is longer than imports read', eventOf(`ATTACH:${'A'.repeat(3 << 20)}`, 'SUMMARY:B')],
  ])('keeps every byte %s', (_, text) => {
    const object = parseObject(text);
    expect(writeObject(object)).toBe(text);
    const [event] = componentsOf(object.calendar, 'VEVENT');
    setLines(event!, 'LOCATION', [createLine('LOCATION:here', object.lineBreak)]);
    const added = `LOCATION:here${object.lineBreak}`;
    expect(writeObject(object)).toBe(text.replace('END:VEVENT', () => `${added}END:VEVENT`));
  });

  it.each([
    ['without an END', eventOf('BEGIN:VALARM')],
    ['with an END without a BEGIN', eventOf('END:VALARM')],
    ['that is cut off', eventOf('SUMMARY:A').slice(0, -20)],
    ['with thousands of levels', eventOf(`${'BEGIN:X\r\n'.repeat(50_000)}${'END:X\r\n'.repeat(50_000)}`)],
  ])('is refused %s', (_, text) => {
    expect(() => parseObject(text)).toThrow(Failure);
  });
});

describe('the parts of a line', () => {
  it.each([
    'SUMMARY:a:b;c="d"',
    'DTSTART;TZID=Europe/Berlin:20260329T090000',
    'DTSTART;VALUE=DATE-TIME;TZID="/x.org/1:2/Europe/Berlin":20260329T090000',
    'ATTENDEE;CN="Smith; Ann: Jr, x";PARTSTAT=DECLINED:mailto:a@b.example',
    "ATTENDEE;CN=a ^'b^' ^^ ^n c;partstat=tentative:mailto:a@b.example",
    'ATTENDEE;PARTSTAT=ACCEPTED;PARTSTAT=DECLINED:mailto:a@b.example',
    'RECURRENCE-ID;RANGE=THISANDFUTURE:20260329',
    'DTSTART;TZID:20260329T090000',
    'DTSTART;:20260329T090000',
    'ATTENDEE;CN="a:mailto:a@b.example',
    'SUMMARY',
  ])('are those of ical.js: %s', (text) => {
    const line = lineOf(text);
    const untyped = { property: {}, param: ICAL.design.icalendar.param, value: {} };
    let expected: unknown[] | undefined;
    try {
      expected = ICAL.parse.property(text, untyped as never) as unknown as unknown[];
    } catch {
      expected = undefined;
    }
    expect(line.property === undefined).toBe(expected === undefined);
    if (expected === undefined) return;
    expect([line.name.toLowerCase(), line.value]).toEqual([expected[0], expected[3]]);
    for (const [name, parameter] of Object.entries(expected[1] as Record<string, string>))
      expect(line.parameter(name.toUpperCase())).toBe(parameter);
  });

  it('are kept as written when a parameter is set, whatever its value contains', () => {
    const { property } = lineOf('ATTENDEE;x-a="1:2";PartStat=DECLINED;CN=A:MAILTO:a@b.example ');
    const text = joinLine(withParameter(property!, 'PARTSTAT', 'ACCEPTED'));
    expect(text).toBe('ATTENDEE;x-a="1:2";PARTSTAT=ACCEPTED;CN=A:MAILTO:a@b.example ');
    const hostile = 'a"b\r\nEND:VEVENT;^n,';
    const read = lineOf(joinLine(withParameter(property!, 'CN', hostile)));
    expect(read.raw.trimEnd().split(/\r\n(?! )/)).toHaveLength(1);
    expect(read.parameter('CN')).toBe(hostile.replace('\r\n', '\n'));
  });
});

it('limits the memory for a line of an import, however it arrives', () => {
  const lines: TextLine[] = [];
  const reader = new LineReader((line) => lines.push(line));
  for (let count = 0; count < 200; count += 1) reader.push('x'.repeat(1 << 16));
  reader.push('\nSUMMARY:A\n');
  for (let count = 0; count < 200; count += 1) reader.push(` ${'y'.repeat(1 << 16)}\n`);
  reader.end();
  expect(lines.map(({ number }) => number)).toEqual([1, 2]);
  for (const { raw, text } of lines) expect(Math.max(raw.length, text.length)).toBeLessThan(1.2 * (1 << 20));
});
