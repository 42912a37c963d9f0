import { Failure, type Issue } from '../failure.ts';
import { isObject, type JsonSchema } from '../json.ts';

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

// Loaded by the first request with parameters, because loading it would slow down the start. Not the module itself: in the bundle,
// each of its names is a chain of getters that takes as long as a validation.
let library: Pick<typeof import('typebox/schema'), 'Check' | 'Compile' | 'Errors'> | undefined;

/** A schema with what its validation needs. `check` is compiled when the schema is used a second time. */
interface Prepared {
  readonly defaults: readonly (readonly [name: string, value: unknown])[];
  check: ((value: unknown) => boolean) | undefined;
}

const prepared = new WeakMap<JsonSchema, Prepared>();

export function isValidatorLoaded(): boolean {
  return library !== undefined;
}

export async function loadValidator(): Promise<void> {
  if (library !== undefined) return;
  const { Check, Compile, Errors } = await import('typebox/schema');
  library = { Check, Compile, Errors };
}

/**
 * Fills in top-level defaults and validates. Throws `invalid-params` with the path and keyword of each error. The validator
 * must be loaded.
 */
export function parseValue(schema: JsonSchema, value: unknown, subject: string): unknown {
  let known = prepared.get(schema);
  if (known === undefined) {
    known = { defaults: defaultsOf(schema), check: undefined };
    prepared.set(schema, known);
  } else if (known.check === undefined) {
    const compiled = library!.Compile(schema);
    known.check = (candidate) => compiled.Check(candidate);
  }
  const filled = withDefaults(known.defaults, value);
  if (known.check === undefined ? library!.Check(schema, filled) : known.check(filled)) return filled;
  const [, errors] = library!.Errors(schema, shortened(filled));
  const found = (errors as SchemaError[]).flatMap((error) => issuesOf(error, schema));
  const issues = found.length > 0 ? found.filter((issue) => !isRepeated(issue, found)) : [invalidItem];
  const text = issues.map((issue) => `${issue.path.join('.') || subject} ${issue.message}`).join('; ');
  throw new Failure('invalid-params', `Invalid ${subject}: ${text}`, { issues });
}

/** A field whose value is invalid is reported as an unknown one as well, if a schema describes all further fields. */
function isRepeated(issue: Issue, found: readonly Issue[]): boolean {
  return (
    issue.keyword === 'additionalProperties' &&
    found.some((other) => other !== issue && issue.path.every((part, index) => part === other.path[index]))
  );
}

function defaultsOf({ properties }: JsonSchema): Prepared['defaults'] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && 'default' in property ? [[name, property['default']] as const] : [],
  );
}

function withDefaults(defaults: Prepared['defaults'], value: unknown): unknown {
  if (defaults.length === 0 || !isObject(value)) return value;
  let filled = value;
  for (const [name, standard] of defaults) {
    if (value[name] !== undefined) continue;
    if (filled === value) filled = { ...value };
    filled[name] = standard;
  }
  return filled;
}

/** Schemas limit lists to fewer items, or to any number. */
const maxItems = 2_000;
const invalidItem: Issue = {
  path: [],
  keyword: 'items',
  expected: null,
  message: `have an invalid item after the first ${maxItems} of a list`,
};

/** Without the rest of very long lists: looking for all errors in them takes long. */
function shortened(value: unknown, depth = 3): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => shortened(item, depth - 1));
  const entries = Object.entries(value);
  if (entries.length > maxItems) return value;
  return Object.fromEntries(entries.map(([name, item]) => [name, shortened(item, depth - 1)]));
}

function issuesOf({ keyword, instancePath, params, message }: SchemaError, schema: JsonSchema): Issue[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const facts = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case 'required':
      return (facts['requiredProperties'] as string[]).map((name) => ({
        path: [...path, name],
        keyword,
        expected: null,
        message: 'is required',
      }));
    case 'additionalProperties':
      return (facts['additionalProperties'] as string[]).map((name) => ({
        path: [...path, name],
        keyword,
        expected: false,
        message: 'is not a known field',
      }));
    case 'boolean':
      return []; // `additionalProperties` reports the same error
    default:
      return [
        {
          path,
          keyword,
          expected: expectedBy(keyword, facts),
          message: describe(keyword, facts, message, schema, path),
        },
      ];
  }
}

function expectedBy(keyword: string, facts: Readonly<Record<string, unknown>>): unknown {
  return facts[keyword] ?? facts['limit'] ?? facts['allowedValues'] ?? facts['allowedValue'] ?? null;
}

function describe(
  keyword: string,
  facts: Readonly<Record<string, unknown>>,
  message: string,
  schema: JsonSchema,
  path: Issue['path'],
): string {
  if (keyword === 'enum')
    return `must be one of ${(facts['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  // A description helps more than a regular expression, which the schema shows anyway.
  const description = keyword === 'pattern' ? descriptionAt(schema, path) : undefined;
  return description === undefined ? message : `is not valid (${description})`;
}

/** The description of a value. An item of a list without its own has that of the list. */
function descriptionAt(schema: JsonSchema, path: Issue['path']): string | undefined {
  let found: unknown = schema;
  let description: string | undefined;
  for (const part of path) {
    if (!isObject(found)) return undefined;
    const { properties, items } = found;
    const isItem = typeof part === 'number';
    found = isItem ? items : isObject(properties) ? properties[part] : undefined;
    const own = isObject(found) ? found['description'] : undefined;
    description = typeof own === 'string' ? own : isItem ? description : undefined;
  }
  return description;
}
