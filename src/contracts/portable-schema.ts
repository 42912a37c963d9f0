import { isObject, type JsonObject, type JsonSchema } from '../json.ts';

/**
 * The same arguments in terms that every model API takes: some refuse a whole request over `additionalProperties` or
 * `const`, or want a type beside `enum`. The server still checks the schema of the tool itself. A schema that names its
 * dialect is sent unchanged.
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
