import { isObject, type JsonObject, type JsonSchema } from '../json.ts';

/**
 * Rewrites a schema so that every model API accepts it. Some APIs reject a request because of `additionalProperties` or
 * `const`, or require a type beside `enum`. The server still validates against the tool's original schema. A schema
 * that names its dialect is sent unchanged.
 */
export function portableSchema(schema: JsonSchema): JsonObject {
  if ('$schema' in schema) return schema as JsonObject;
  const { additionalProperties: _, const: only, ...rest } = schema;
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

function portableProperties(properties: JsonSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, portableSchema(property as JsonSchema)]),
  );
}
