/** A random generator that repeats its sequence for the same seed. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: <One>(all: readonly One[]): One => all[below(all.length)]! };
}
export type Random = ReturnType<typeof createRandom>;

const prefix = 'io.modelcontextprotocol/';
const methods = [
  'initialize',
  'ping',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'notifications/initialized',
  'notifications/cancelled',
  'constructor',
  '__proto__',
  '',
];
const keys = [
  'name',
  'arguments',
  'cursor',
  'uri',
  'level',
  'ref',
  'argument',
  '_meta',
  '__proto__',
  'input',
];

/** A random JSON value, mostly of kinds that programs often confuse. */
export function anything(random: Random, depth = 3): unknown {
  const simple = [
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    'x',
    '2.0',
    '\u0000',
    '\ud800',
    '👋',
    '../../etc/passwd',
  ];
  const kind = random.below(depth > 0 ? 5 : 3);
  if (kind < 3) return random.pick(simple);
  const inside = Array.from({ length: random.below(4) }, () => anything(random, depth - 1));
  return kind === 3 ? inside : Object.fromEntries(inside.map((one) => [random.pick(keys), one]));
}

export function randomRequest(random: Random): Record<string, unknown> {
  const maybe = (key: string, value: unknown) => (random.below(5) === 0 ? {} : { [key]: value });
  return {
    ...maybe('jsonrpc', random.below(8) === 0 ? anything(random) : '2.0'),
    ...maybe('id', random.below(4) === 0 ? anything(random) : random.below(1000)),
    ...maybe('method', random.below(8) === 0 ? anything(random) : random.pick(methods)),
    ...maybe('params', {
      ...(anything(random) as object),
      ...(random.below(6) === 0 && {
        _meta: {
          [`${prefix}protocolVersion`]: random.pick<unknown>(['2026-07-28', '1900-01-01', 7, null, {}]),
          [`${prefix}clientCapabilities`]: anything(random),
          progressToken: anything(random),
        },
      }),
    }),
  };
}

function bytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

function mutated(random: Random): Buffer {
  const text = Buffer.from(JSON.stringify(randomRequest(random)));
  for (let change = random.below(4) + 1; change > 0; change--)
    text[random.below(text.length)] = random.below(256);
  return text;
}

function nested(random: Random): string {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":', '}}'],
  ] as const);
  const depth = 5_000 + random.below(10_000);
  return open.startsWith('{"jsonrpc')
    ? `${open}${'['.repeat(depth)}${']'.repeat(depth)}${close}`
    : `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const kinds: readonly ((random: Random, limit: number) => Buffer | string)[] = [
  (random) => bytes(random, random.below(300)),
  (random) => JSON.stringify(anything(random)) ?? '',
  (random) => JSON.stringify(randomRequest(random)),
  (random) => JSON.stringify(randomRequest(random)),
  mutated,
  mutated,
  (random) => {
    const text = JSON.stringify(randomRequest(random));
    return text.slice(0, random.below(text.length));
  },
  (random) => JSON.stringify(Array.from({ length: random.below(20) }, () => randomRequest(random))),
  (random) => `\uFEFF${JSON.stringify(randomRequest(random))}`,
  (random) => '\u0000'.repeat(random.below(50)),
];
const heavy: readonly ((random: Random, limit: number) => Buffer | string)[] = [
  nested,
  (random, limit) =>
    JSON.stringify({ ...randomRequest(random), padding: 'x'.repeat(limit + random.below(limit)) }),
  (random, limit) => bytes(random, limit + random.below(1000)),
  (_, limit) => `[${'0,'.repeat(limit / 2 - 2)}0]`,
];

/** One line that a careless, broken or hostile client could send. */
export function noise(random: Random, limit: number): Buffer {
  const make = random.below(25) === 0 ? random.pick(heavy) : random.pick(kinds);
  const line = Buffer.from(make(random, limit) as string);
  // A header would correctly consume the bytes after it.
  return /^\s*content-/im.test(line.toString('latin1')) ? noise(random, limit) : line;
}
