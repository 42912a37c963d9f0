import { isObject, type JsonObject } from '../../src/json.ts';

/** Valid arguments for a tool: only the required ones, then all of them with each value of every enumeration. */
export function sampleCalls(schema: JsonObject): readonly unknown[] {
  const choices = Math.max(1, ...enumerationLengths(schema));
  return [
    sampleOf(schema, 0, true),
    ...Array.from({ length: choices }, (_, choice) => sampleOf(schema, choice, false)),
  ];
}

function sampleOf(schema: unknown, choice: number, onlyRequired: boolean): unknown {
  if (!isObject(schema)) return 'text';
  const { type, enum: values, items, minimum, properties, anyOf } = schema;
  if (Array.isArray(values)) return values[choice % values.length];
  if (Array.isArray(anyOf)) return sampleOf(anyOf[choice % anyOf.length], choice, onlyRequired);
  if (type === 'array') return [sampleOf(items, choice, onlyRequired)];
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return true;
  if (type !== 'object') return 'text';
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {})
      .filter(([name]) => !onlyRequired || required.includes(name))
      .map(([name, property]) => [name, sampleOf(property, choice, onlyRequired)]),
  );
}

function enumerationLengths(value: unknown): readonly number[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isObject(value) && Array.isArray(value['enum']) ? [value['enum'].length] : [];
  return [...own, ...Object.values(value).flatMap(enumerationLengths)];
}
