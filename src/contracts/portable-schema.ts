import { isObject, type JsonObject, type JsonSchema } from '../json.ts';

const unlisted = [
  'additionalProperties',
  'const',
  'pattern',
  'minimum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];

/**
 * Rewrites a schema so that every model API accepts it. Some APIs reject a request because of `additionalProperties` or
 * `const`, or require a type beside `enum`. Patterns, lengths and minimums are left out, because a model learns formats from the
 * descriptions and every list is paid for in tokens. The server still validates against the tool's original schema. A
 * schema that names its dialect is sent unchanged.
 */
export function portableSchema(schema: JsonSchema): JsonObject {
  if ('$schema' in schema) return schema as JsonObject;
  const rest: Record<string, unknown> = { ...schema };
  for (const keyword of unlisted) delete rest[keyword];
  // Models assume these values anyway.
  if (rest['default'] === false || rest['default'] === '' || isEmptyArray(rest['default']))
    delete rest['default'];
  const only = schema['const'];
  const allowed = only === undefined ? rest['enum'] : [only];
  const texts = Array.isArray(allowed) && allowed.every((value) => typeof value === 'string');
  return {
    ...(texts && { type: 'string' }),
    ...rest,
    ...(allowed !== undefined && { enum: allowed }),
    ...(isObject(rest['properties']) && { properties: portableProperties(rest['properties']) }),
    ...(isObject(rest['items']) && { items: portableSchema(rest['items']) }),
    ...(Array.isArray(rest['anyOf']) && { anyOf: rest['anyOf'].map(portableSchema) }),
  } as JsonObject;
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function portableProperties(properties: JsonSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, portableSchema(property as JsonSchema)]),
  );
}
