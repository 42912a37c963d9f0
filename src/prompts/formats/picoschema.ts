import { isObject } from '../../json.ts';
import type { ArgumentDefinition } from '../definition/definition.ts';
import type { Report } from './format.ts';

const scalars = new Set(['string', 'number', 'integer', 'boolean', 'any', 'null']);

/** Parses the arguments in the input schema of a dotprompt file, which is Picoschema or a JSON Schema object. */
export function parseInput(input: unknown, report: Report): readonly ArgumentDefinition[] {
  if (!isObject(input)) return [];
  const { schema, default: defaults } = input;
  if (schema === undefined) return [];
  if (!isObject(schema)) {
    report('the input schema is not defined in this file and was ignored');
    return [];
  }
  const found = isObject(schema['properties']) ? fromJsonSchema(schema) : fromPicoschema(schema, report);
  return found.map((argument) => {
    const value = isObject(defaults) ? defaults[argument.name] : undefined;
    if (value === undefined || value === null) return argument;
    if (typeof value === 'object') {
      report(`the default of ${argument.name} is not text and was ignored`);
      return argument;
    }
    const { required: _, ...optional } = argument;
    return { ...optional, default: String(value) };
  });
}

/** `name?(enum, description): [a, b]` or `name: type, description`. */
function fromPicoschema(
  schema: Readonly<Record<string, unknown>>,
  report: Report,
): readonly ArgumentDefinition[] {
  return Object.entries(schema).flatMap(([key, value]): ArgumentDefinition[] => {
    const [, name, optional, kind, note] =
      /^([A-Za-z_$][\w$-]*)(\?)?(?:\((\w+)(?:,\s*([\s\S]*))?\))?$/.exec(key) ?? [];
    if (name === undefined) {
      report(`the input ${key} is not supported and was ignored`);
      return [];
    }
    const required = { ...(optional === undefined && { required: true }) };
    const described = (text: string | undefined) => ({ ...(text && { description: text.trim() }) });
    if (kind === 'enum' && Array.isArray(value))
      return [{ name, ...described(note), ...required, values: value.map(String) }];
    if (kind === undefined && typeof value === 'string') {
      const [, type = '', description] = /^(\w+)(?:,\s*([\s\S]*))?$/.exec(value.trim()) ?? [];
      if (scalars.has(type)) return [{ name, ...described(description), ...required }];
    }
    report(`the input ${name} is not a scalar and is treated as text`);
    return [{ name, ...described(note), ...required }];
  });
}

function fromJsonSchema(schema: Readonly<Record<string, unknown>>): readonly ArgumentDefinition[] {
  const requiredNames: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties'] as Record<string, unknown>).map(([name, property]) => {
    const { description, enum: values } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof description === 'string' && { description }),
      ...(requiredNames.includes(name) && { required: true }),
      ...(Array.isArray(values) && { values: values.map(String) }),
    };
  });
}

/** Prints the field `input` of the front matter, or `undefined` if there are no arguments. */
export function printInput(declared: readonly ArgumentDefinition[]): object | undefined {
  if (declared.length === 0) return undefined;
  const schema = declared.map(({ name, required, description, values }): [string, unknown] => {
    const key = required ? name : `${name}?`;
    const note = description?.replaceAll(/\s+/g, ' ');
    if (values !== undefined) return [`${key}(enum${note ? `, ${note}` : ''})`, values];
    return [key, note ? `string, ${note}` : 'string'];
  });
  const defaults = declared.filter((one) => one.default !== undefined && one.default !== '');
  return {
    schema: Object.fromEntries(schema),
    ...(defaults.length > 0 && {
      default: Object.fromEntries(defaults.map(({ name, default: value }) => [name, value])),
    }),
  };
}
