import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deframer, type Frame, type Framing, frame } from './framing.ts';

const limit = 4096;

function read(chunks: readonly (string | Buffer)[], most = limit): { frames: Frame[]; framing: Framing } {
  const deframer = new Deframer(most);
  const frames = chunks.flatMap((chunk) => deframer.push(Buffer.from(chunk as string)));
  return { frames: [...frames, ...deframer.end()], framing: deframer.framing };
}

const message = (value: unknown): Frame => ({ kind: 'message', value });
const malformed: Frame = { kind: 'malformed' };
const oversized = (id: string | number | null): Frame => ({ kind: 'oversized', id });
const long = 'x'.repeat(limit);

describe('a stream of lines', () => {
  it('is one message for each line, the last with or without its end', () => {
    expect(read(['{"a":1}\n{"b":2}\r\n{"c":3}'])).toEqual({
      frames: [message({ a: 1 }), message({ b: 2 }), message({ c: 3 })],
      framing: 'lines',
    });
  });

  it('may have empty lines and spaces around', () => {
    expect(read(['\n\r\n  \n\t{"a":1}  \n\n']).frames).toEqual([message({ a: 1 })]);
  });

  it('may begin with a byte order mark', () => {
    expect(read(['\uFEFF{"a":1}\n']).frames).toEqual([message({ a: 1 })]);
  });

  it('may cut a character in two', () => {
    const bytes = Buffer.from('{"a":"Grüße 👋"}\n');
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(read(pieces).frames).toEqual([message({ a: 'Grüße 👋' })]);
  });

  it.for([
    ['half a message', '{"a":'],
    ['words', 'hello there'],
    ['a NUL byte', '{"a":1}\u0000'],
    ['only NUL bytes', '\u0000\u0000'],
    ['two messages on one line', '{"a":1}{"b":2}'],
    ['a header that is none', 'Content-Lengthy: 3'],
  ])('goes on after %s', ([, wrong]) => {
    expect(read([`${wrong}\n{"b":2}\n`]).frames).toEqual([malformed, message({ b: 2 })]);
  });

  it('refuses what is not UTF-8 and goes on', () => {
    const wrong = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
    expect(read([wrong, '{"b":2}\n']).frames).toEqual([malformed, message({ b: 2 })]);
  });
});

describe('a stream with headers', () => {
  it('is read by length and answered with headers', () => {
    const frames = ['{"a":"ü"}', '{"b":\n2}'].map(
      (body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(read([frames.join('')])).toEqual({
      frames: [message({ a: 'ü' }), message({ b: 2 })],
      framing: 'headers',
    });
  });

  it('may name the type too, in any case and order, with plain line ends', () => {
    expect(
      read(['content-type: application/json\nCONTENT-LENGTH : 7\n\n{"a":1}Content-Length: 7\n\n{"b":2}']),
    ).toEqual({ frames: [message({ a: 1 }), message({ b: 2 })], framing: 'headers' });
  });

  it('does not lose a message whose header lacks the blank line and tells a wrong length', () => {
    const body = '{"jsonrpc":"2.0","id":2,"method":"prompts/create","params":{"name":"test"}}';
    expect(read([`Content-Length: 300\n${body}\n`])).toEqual({
      frames: [message(JSON.parse(body))],
      framing: 'headers',
    });
  });

  it('does not lose the last message when its length is too great', () => {
    expect(read(['Content-Length: 300\r\n\r\n{"a":1}']).frames).toEqual([message({ a: 1 })]);
  });

  it('goes on after a body that is no message', () => {
    expect(read(['Content-Length: 3\r\n\r\n{a}Content-Length: 7\r\n\r\n{"b":2}']).frames).toEqual([
      malformed,
      message({ b: 2 }),
    ]);
  });

  it('may have a body without anything in it', () => {
    expect(read(['Content-Length: 0\r\n\r\nContent-Length: 7\r\n\r\n{"b":2}']).frames).toEqual([
      message({ b: 2 }),
    ]);
  });

  it('is written by bytes, not by characters', () => {
    expect(frame({ a: 'ü' }, 'headers')).toBe('Content-Length: 10\r\n\r\n{"a":"ü"}');
  });
});

describe('a message longer than allowed', () => {
  it.for([
    ['its id in front', `{"jsonrpc":"2.0","id":7,"method":"x","params":"${long}"}`, 7],
    ['a text as its id', `{"id":"seven","params":"${long}"}`, 'seven'],
    ['its id behind', `{"jsonrpc":"2.0","params":"${long}","id":8}`, 8],
    ['its id where it cannot be told', `{"params":"${long}","id":9,"more":"${long}"}`, null],
    ['an id that is another field of its own', `{"params":{"id":1,"text":"${long}"}}`, null],
    ['no sense', long + long, null],
  ] as const)('with %s is told and the stream goes on', ([, text, id]) => {
    for (const chunks of [
      [`${text}\n{"b":2}\n`],
      ...[1, 100, 1000].map((size) => cut(`${text}\n{"b":2}\n`, size)),
    ])
      expect(read(chunks).frames).toEqual([oversized(id), message({ b: 2 })]);
  });

  it('is skipped by its length under headers', () => {
    const text = `{"id":7,"params":"${long}"}`;
    const wire = `Content-Length: ${text.length}\r\n\r\n${text}Content-Length: 7\r\n\r\n{"b":2}`;
    for (const chunks of [[wire], cut(wire, 1), cut(wire, 1000)])
      expect(read(chunks).frames).toEqual([oversized(7), message({ b: 2 })]);
  });

  it('is told at the end of input too', () => {
    expect(read([long, long]).frames).toEqual([oversized(null)]);
  });

  it('may be just as long as allowed', () => {
    const text = JSON.stringify('x'.repeat(limit - 2));
    expect(read([`${text}\n`]).frames).toEqual([message(JSON.parse(text))]);
  });
});

it('reads the same messages however their bytes are cut', () => {
  const framings = fc.constantFrom<Framing>('lines', 'headers');
  fc.assert(
    fc.property(
      fc.array(fc.object()),
      framings,
      fc.integer({ min: 1, max: 64 }),
      (objects, framing, size) => {
        // A value that JSON changes on its way is compared after it.
        const sent = objects.map((one) => JSON.parse(JSON.stringify(one)));
        const wire = Buffer.from(sent.map((one) => frame(one, framing)).join(''));
        const chunks = Array.from({ length: Math.ceil(wire.length / size) }, (_, index) =>
          wire.subarray(index * size, (index + 1) * size),
        );
        expect(read(chunks, 1_000_000).frames).toEqual(sent.map(message));
      },
    ),
    { numRuns: 200 },
  );
});

it('never fails and never goes quiet, whatever comes before a message', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      const bytes = Buffer.from(noise);
      // A header among the noise would rightly swallow what follows.
      fc.pre(!/content-/i.test(bytes.toString('latin1')));
      expect(read([bytes, '\n{"b":2}\n']).frames.at(-1)).toEqual(message({ b: 2 }));
    }),
    { numRuns: 500 },
  );
});

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}
