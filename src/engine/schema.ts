import { Failure, type Issue } from '../failure.ts';
import { isObject, type JsonSchema } from '../json.ts';

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

// Loaded by the first request with parameters, because loading it would slow down the start.
let validator: typeof import('typebox/schema') | undefined;

/** Fills in top-level defaults and validates. Throws `invalid-params` with the path and keyword of each error. */
export async function parseValue(schema: JsonSchema, value: unknown, subject: string): Promise<unknown> {
  validator ??= await import('typebox/schema');
  const filled = withDefaults(schema, value);
  if (validator.Check(schema, filled)) return filled;
  const [, errors] = validator.Errors(schema, filled);
  const issues = (errors as SchemaError[]).flatMap((error) => issuesOf(error, schema));
  const text = issues.map((issue) => `${issue.path.join('.') || subject} ${issue.message}`).join('; ');
  throw new Failure('invalid-params', `Invalid ${subject}: ${text}`, { issues });
}

function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (!isObject(value) || !isObject(schema['properties'])) return value;
  let filled = value;
  for (const [name, property] of Object.entries(schema['properties'])) {
    if (!isObject(property) || !('default' in property) || value[name] !== undefined) continue;
    if (filled === value) filled = { ...value };
    filled[name] = property['default'];
  }
  return filled;
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

function descriptionAt(schema: JsonSchema, path: Issue['path']): string | undefined {
  let found: unknown = schema;
  for (const part of path) {
    if (!isObject(found)) return undefined;
    const { properties, items } = found;
    found = typeof part === 'number' ? items : isObject(properties) ? properties[part] : undefined;
  }
  return isObject(found) && typeof found['description'] === 'string' ? found['description'] : undefined;
}
