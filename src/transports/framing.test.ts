import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deframer, type Frame, type Framing, frame } from './framing.ts';

const limit = 4096;

function read(chunks: readonly (string | Buffer)[], maxBytes = limit): { frames: Frame[]; framing: Framing } {
  const deframer = new Deframer(maxBytes);
  const frames = chunks.flatMap((chunk) => deframer.push(Buffer.from(chunk as string)));
  return { frames: [...frames, ...deframer.end()], framing: deframer.framing };
}

const message = (value: unknown): Frame => ({ kind: 'message', value });
const malformed: Frame = { kind: 'malformed' };
const oversized = (id: string | number | null): Frame => ({ kind: 'oversized', id });
const long = 'x'.repeat(limit);

describe('a stream of lines', () => {
  it('has one message per line, and the last line may lack its line break', () => {
    expect(read(['{"a":1}\n{"b":2}\r\n{"c":3}'])).toEqual({
      frames: [message({ a: 1 }), message({ b: 2 }), message({ c: 3 })],
      framing: 'lines',
    });
  });

  it('may contain empty lines and surrounding spaces', () => {
    expect(read(['\n\r\n  \n\t{"a":1}  \n\n']).frames).toEqual([message({ a: 1 })]);
  });

  it('may begin with a byte order mark', () => {
    expect(read(['\uFEFF{"a":1}\n']).frames).toEqual([message({ a: 1 })]);
  });

  it('may split a character between two chunks', () => {
    const bytes = Buffer.from('{"a":"Grüße 👋"}\n');
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(read(pieces).frames).toEqual([message({ a: 'Grüße 👋' })]);
  });

  it.for([
    ['half a message', '{"a":'],
    ['plain words', 'hello there'],
    ['a NUL byte', '{"a":1}\u0000'],
    ['only NUL bytes', '\u0000\u0000'],
    ['two messages on one line', '{"a":1}{"b":2}'],
    ['an unknown header', 'Content-Lengthy: 3'],
  ])('continues after %s', ([, wrong]) => {
    expect(read([`${wrong}\n{"b":2}\n`]).frames).toEqual([malformed, message({ b: 2 })]);
  });

  it('rejects invalid UTF-8 and continues', () => {
    const wrong = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
    expect(read([wrong, '{"b":2}\n']).frames).toEqual([malformed, message({ b: 2 })]);
  });
});

describe('a stream with headers', () => {
  it('is read by length, and replies have headers too', () => {
    const frames = ['{"a":"ü"}', '{"b":\n2}'].map(
      (body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(read([frames.join('')])).toEqual({
      frames: [message({ a: 'ü' }), message({ b: 2 })],
      framing: 'headers',
    });
  });

  it('may contain a content type, in any case and order, with plain line feeds', () => {
    expect(
      read(['content-type: application/json\nCONTENT-LENGTH : 7\n\n{"a":1}Content-Length: 7\n\n{"b":2}']),
    ).toEqual({ frames: [message({ a: 1 }), message({ b: 2 })], framing: 'headers' });
  });

  it('keeps a message whose header has a wrong length and no blank line', () => {
    const body = '{"jsonrpc":"2.0","id":2,"method":"prompts/create","params":{"name":"test"}}';
    expect(read([`Content-Length: 300\n${body}\n`])).toEqual({
      frames: [message(JSON.parse(body))],
      framing: 'headers',
    });
  });

  it('keeps the last message if its announced length is too large', () => {
    expect(read(['Content-Length: 300\r\n\r\n{"a":1}']).frames).toEqual([message({ a: 1 })]);
  });

  it('continues after an invalid body', () => {
    expect(read(['Content-Length: 3\r\n\r\n{a}Content-Length: 7\r\n\r\n{"b":2}']).frames).toEqual([
      malformed,
      message({ b: 2 }),
    ]);
  });

  it('may contain an empty body', () => {
    expect(read(['Content-Length: 0\r\n\r\nContent-Length: 7\r\n\r\n{"b":2}']).frames).toEqual([
      message({ b: 2 }),
    ]);
  });

  it('is written with the length in bytes, not in characters', () => {
    expect(frame({ a: 'ü' }, 'headers')).toBe('Content-Length: 10\r\n\r\n{"a":"ü"}');
  });
});

describe('an oversized message', () => {
  it.for([
    ['its id first', `{"jsonrpc":"2.0","id":7,"method":"x","params":"${long}"}`, 7],
    ['a string as its id', `{"id":"seven","params":"${long}"}`, 'seven'],
    ['its id last', `{"jsonrpc":"2.0","params":"${long}","id":8}`, 8],
    ['its id in the middle', `{"params":"${long}","id":9,"more":"${long}"}`, null],
    ['an id inside its params', `{"params":{"id":1,"text":"${long}"}}`, null],
    ['no JSON', long + long, null],
  ] as const)('with %s is reported, and the stream continues', ([, text, id]) => {
    for (const chunks of [
      [`${text}\n{"b":2}\n`],
      ...[1, 100, 1000].map((size) => cut(`${text}\n{"b":2}\n`, size)),
    ])
      expect(read(chunks).frames).toEqual([oversized(id), message({ b: 2 })]);
  });

  it('is skipped by its length in a stream with headers', () => {
    const text = `{"id":7,"params":"${long}"}`;
    const wire = `Content-Length: ${text.length}\r\n\r\n${text}Content-Length: 7\r\n\r\n{"b":2}`;
    for (const chunks of [[wire], cut(wire, 1), cut(wire, 1000)])
      expect(read(chunks).frames).toEqual([oversized(7), message({ b: 2 })]);
  });

  it('is reported at the end of input too', () => {
    expect(read([long, long]).frames).toEqual([oversized(null)]);
  });

  it('is only one that exceeds the limit, not one that reaches it', () => {
    const text = JSON.stringify('x'.repeat(limit - 2));
    expect(read([`${text}\n`]).frames).toEqual([message(JSON.parse(text))]);
  });
});

describe('a deeply nested message', () => {
  const nested = (levels: number) => `{"id":7,"params":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const readOne = (text: string) => new Deframer(1_000_000).push(Buffer.from(`${text}\n`));
  const padding = ' '.repeat(70_000);

  it('is reported with its id', () => {
    const reason = 'The message has more than 1000 levels of nested lists and objects.';
    expect(readOne(nested(100_000))).toEqual([{ kind: 'refused', id: 7, reason }]);
    expect(readOne(nested(1000) + padding)).toEqual([{ kind: 'refused', id: 7, reason }]);
  });

  it('is read if it is short or has at most a thousand levels', () => {
    expect(readOne(nested(5000))).toMatchObject([{ kind: 'message', value: { id: 7 } }]);
    expect(readOne(nested(999) + padding)).toMatchObject([{ kind: 'message', value: { id: 7 } }]);
  });

  it('is not one that has brackets in its texts', () => {
    const text = `a\\"${'[{'.repeat(50_000)}`;
    expect(readOne(JSON.stringify({ text, id: 7 }))).toEqual([message({ text, id: 7 })]);
  });
});

describe('a message of many values', () => {
  const listOf = (count: number, limit = 1_000_000) =>
    new Deframer(limit).push(Buffer.from(`${JSON.stringify({ id: 7, params: Array(count).fill('a,b') })}\n`));

  it('is reported with its id', () => {
    expect(listOf(25_000)).toEqual([
      { kind: 'refused', id: 7, reason: 'The message has more than 25000 values.' },
    ]);
    expect(listOf(24_999)).toMatchObject([{ kind: 'message', value: { id: 7 } }]);
  });

  it('is read from a sender that is trusted', () => {
    expect(listOf(25_000, Number.POSITIVE_INFINITY)).toMatchObject([{ kind: 'message' }]);
  });
});

it('reads the same messages no matter how their bytes are split', () => {
  const framings = fc.constantFrom<Framing>('lines', 'headers');
  fc.assert(
    fc.property(
      fc.array(fc.object()),
      framings,
      fc.integer({ min: 1, max: 64 }),
      (objects, framing, size) => {
        // Compare with the values after a round trip, because JSON changes some of them.
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

it('reads a message after any noise', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      const bytes = Buffer.from(noise);
      // A header in the noise would correctly consume the bytes after it.
      fc.pre(!/content-/i.test(bytes.toString('latin1')));
      expect(read([bytes, '\n{"b":2}\n']).frames.at(-1)).toEqual(message({ b: 2 }));
    }),
    { numRuns: 500 },
  );
});

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}
