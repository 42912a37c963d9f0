/** A source of chance that says the same again for the same seed. */
export function createChance(seed: number) {
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
export type Chance = ReturnType<typeof createChance>;

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

/** Anything that JSON can say, of the kinds that are often mistaken for one another. */
function anything(chance: Chance, depth = 3): unknown {
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
  const kind = chance.below(depth > 0 ? 5 : 3);
  if (kind < 3) return chance.pick(simple);
  const inside = Array.from({ length: chance.below(4) }, () => anything(chance, depth - 1));
  return kind === 3 ? inside : Object.fromEntries(inside.map((one) => [chance.pick(keys), one]));
}

function request(chance: Chance): Record<string, unknown> {
  const maybe = (key: string, value: unknown) => (chance.below(5) === 0 ? {} : { [key]: value });
  return {
    ...maybe('jsonrpc', chance.below(8) === 0 ? anything(chance) : '2.0'),
    ...maybe('id', chance.below(4) === 0 ? anything(chance) : chance.below(1000)),
    ...maybe('method', chance.below(8) === 0 ? anything(chance) : chance.pick(methods)),
    ...maybe('params', {
      ...(anything(chance) as object),
      ...(chance.below(6) === 0 && {
        _meta: {
          [`${prefix}protocolVersion`]: chance.pick<unknown>(['2026-07-28', '1900-01-01', 7, null, {}]),
          [`${prefix}clientCapabilities`]: anything(chance),
          progressToken: anything(chance),
        },
      }),
    }),
  };
}

function bytes(chance: Chance, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => chance.below(256)));
}

function mutated(chance: Chance): Buffer {
  const text = Buffer.from(JSON.stringify(request(chance)));
  for (let change = chance.below(4) + 1; change > 0; change--)
    text[chance.below(text.length)] = chance.below(256);
  return text;
}

function nested(chance: Chance): string {
  const [open, close] = chance.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":', '}}'],
  ] as const);
  const depth = 5_000 + chance.below(10_000);
  return open.startsWith('{"jsonrpc')
    ? `${open}${'['.repeat(depth)}${']'.repeat(depth)}${close}`
    : `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const kinds: readonly ((chance: Chance, limit: number) => Buffer | string)[] = [
  (chance) => bytes(chance, chance.below(300)),
  (chance) => JSON.stringify(anything(chance)) ?? '',
  (chance) => JSON.stringify(request(chance)),
  (chance) => JSON.stringify(request(chance)),
  mutated,
  mutated,
  (chance) => {
    const text = JSON.stringify(request(chance));
    return text.slice(0, chance.below(text.length));
  },
  (chance) => JSON.stringify(Array.from({ length: chance.below(20) }, () => request(chance))),
  (chance) => `\uFEFF${JSON.stringify(request(chance))}`,
  (chance) => '\u0000'.repeat(chance.below(50)),
];
const heavy: readonly ((chance: Chance, limit: number) => Buffer | string)[] = [
  nested,
  (chance, limit) => JSON.stringify({ ...request(chance), padding: 'x'.repeat(limit + chance.below(limit)) }),
  (chance, limit) => bytes(chance, limit + chance.below(1000)),
  (_, limit) => `[${'0,'.repeat(limit / 2 - 2)}0]`,
];

/** One thing that a careless, broken or hostile client might say; on one line of its own. */
export function noise(chance: Chance, limit: number): Buffer {
  const make = chance.below(25) === 0 ? chance.pick(heavy) : chance.pick(kinds);
  const said = Buffer.from(make(chance, limit) as string);
  // A header would rightly swallow what comes behind it.
  return /^\s*content-/im.test(said.toString('latin1')) ? noise(chance, limit) : said;
}
