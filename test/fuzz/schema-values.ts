import { isObject, type JsonObject } from '../../src/json.ts';
import { anything, type Random } from './noise.ts';

/** Texts that many arguments take. Paths lead to nothing, and addresses to a closed port. */
const plausible = [
  ...['ada', 'me', 'greet', 'research', 'user', 'en', 'de-AT', 'Europe/Berlin', 'text', 'Hello {{input}}'],
  ...[
    '2027-03-01T10:00:00Z',
    '2027-03-01',
    'tomorrow 18:00',
    'in 10 minutes',
    '18:00',
    '9:00-17:00',
    'PT15M',
  ],
  ...['every weekday at 7', 'FREQ=DAILY;COUNT=3', 'FREQ=YEARLY;INTERVAL=0', '*/5 * * * *', '0 0 31 2 *'],
  ...['ada@example.com', 'ntfy://topic', 'sms:+4930123456', 'http://127.0.0.1:1/x', 'ui://prompts', 'inbox'],
  ...[
    'resources://users/ada',
    '/nonexistent',
    '../x',
    'a'.repeat(3_000),
    '\u202e',
    '\u0000',
    '{{',
    '{% for',
    '👋',
  ],
] as const;

/** Values of earlier answers, by the name of their field, so that calls reach what exists. */
export class KnownValues {
  readonly #values = new Map<string, string[]>();

  learn(value: unknown, depth = 6): void {
    if (Array.isArray(value)) for (const item of value.slice(0, 20)) this.learn(item, depth - 1);
    else if (isObject(value) && depth > 0)
      for (const [key, inner] of Object.entries(value))
        if (typeof inner === 'string') this.#keep(key, inner);
        else this.learn(inner, depth - 1);
  }

  /** A value of a field with this name, or of an id for a field that names one. */
  for(key: string, random: Random): string | undefined {
    const own = this.#values.get(key) ?? this.#values.get(key.replace(/^.*_/, '')) ?? [];
    return own.length === 0 ? undefined : random.pick(own);
  }

  #keep(key: string, value: string): void {
    if (value === '' || value.length > 200) return;
    const known = this.#values.get(key) ?? [];
    this.#values.set(key, [value, ...known.filter((other) => other !== value)].slice(0, 30));
  }
}

/** A value for a schema. One in ten does not fit it, and neither may parts of the others. */
export function valueFor(
  schema: JsonObject,
  key: string,
  random: Random,
  known: KnownValues,
  depth = 5,
): unknown {
  if (random.below(10) === 0) return anything(random);
  const choices = (schema['anyOf'] ?? schema['oneOf'] ?? schema['enum']) as unknown[] | undefined;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(choices) && choices.length > 0) {
    const chosen = random.pick(choices);
    return schema['enum'] !== undefined || !isObject(chosen)
      ? chosen
      : valueFor(chosen as JsonObject, key, random, known, depth);
  }
  const type = Array.isArray(schema['type']) ? random.pick(schema['type'] as unknown[]) : schema['type'];
  switch (type) {
    case 'string':
      return (random.below(2) === 0 ? known.for(key, random) : undefined) ?? random.pick(plausible);
    case 'integer':
    case 'number':
      return numberFor(schema, random);
    case 'boolean':
      return random.below(2) === 0;
    case 'null':
      return null;
    case 'array': {
      const items = (isObject(schema['items']) ? schema['items'] : {}) as JsonObject;
      return Array.from({ length: depth > 0 ? random.below(4) : 0 }, () =>
        valueFor(items, key, random, known, depth - 1),
      );
    }
    case 'object':
      return depth > 0 ? objectFor(schema, random, known, depth) : {};
    default:
      return anything(random);
  }
}

function numberFor({ minimum, maximum }: JsonObject, random: Random): number {
  const low = typeof minimum === 'number' ? minimum : 0;
  const high = typeof maximum === 'number' ? maximum : low + 50;
  // Long waits would only slow the proof down.
  return random.pick([
    low,
    Math.min(high, low + 1),
    low + random.below(Math.min(20, high - low + 1)),
    low - 1,
  ]);
}

function objectFor(schema: JsonObject, random: Random, known: KnownValues, depth: number): object {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = new Set(schema['required'] as string[] | undefined);
  const given = Object.entries(properties).filter(([name]) =>
    required.has(name) ? random.below(20) > 0 : random.below(3) === 0,
  );
  const entries = given.map(
    ([name, inner]) => [name, valueFor(inner, name, random, known, depth - 1)] as const,
  );
  const { additionalProperties: others } = schema;
  if (isObject(others) && Object.keys(properties).length === 0)
    entries.push(['input', valueFor(others as JsonObject, 'input', random, known, depth - 1)]);
  if (random.below(20) === 0) entries.push([random.pick(['unknown', '__proto__', 'constructor']), 1]);
  // Not an object literal, in which `__proto__` would be no field.
  return Object.fromEntries(entries);
}
