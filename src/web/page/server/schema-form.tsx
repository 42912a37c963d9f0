/** The part of JSON Schema that the forms understand. Everything else is entered as JSON. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** What was entered, by argument. Only fields that were filled in are present. */
export type Entries = Readonly<Record<string, string>>;

type Kind = 'choice' | 'boolean' | 'number' | 'text' | 'lines' | 'json';

function kindOf({ type, enum: choices, items }: Schema): Kind {
  if (choices) return 'choice';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  return type === 'array' && items?.type === 'string' ? 'lines' : 'json';
}

/** Converts what was entered to arguments. Throws an error that names the field if a value is not valid JSON. */
export function argumentsFrom({ properties = {} }: Schema, entries: Entries): Record<string, unknown> {
  const filled = Object.entries(entries).filter(([, text]) => text !== '');
  return Object.fromEntries(filled.map(([name, text]) => [name, parse(name, properties[name] ?? {}, text)]));
}

function parse(name: string, schema: Schema, text: string): unknown {
  switch (kindOf(schema)) {
    case 'choice':
      return schema.enum!.find((one) => String(one) === text);
    case 'boolean':
      return text === 'true';
    case 'number':
      return Number(text);
    case 'lines':
      return text.split('\n').filter((line) => line !== '');
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        throw new Error(`${name} is not valid JSON.`);
      }
    default:
      return text;
  }
}

interface Props {
  readonly schema: Schema;
  readonly entries: Entries;
  change(entries: Entries): void;
}

/** A field for each argument of a tool, chosen by its schema. */
export function SchemaForm({ schema: { properties = {}, required = [] }, entries, change }: Props) {
  const names = Object.keys(properties);
  if (names.length === 0) return <p class="quiet">This tool takes no arguments.</p>;
  const ordered = [...required, ...names.filter((name) => !required.includes(name))];
  return (
    <>
      {ordered.map((name) => (
        <label key={name} for={`argument-${name}`}>
          <span class="argument-name">
            {name}
            {required.includes(name) && <span class="required"> required</span>}
          </span>
          <Field
            id={`argument-${name}`}
            schema={properties[name] ?? {}}
            required={required.includes(name)}
            value={entries[name] ?? ''}
            change={(value) => change({ ...entries, [name]: value })}
          />
          <small>
            {[properties[name]?.description, hint(properties[name] ?? {})].filter(Boolean).join('. ')}
          </small>
        </label>
      ))}
    </>
  );
}

function hint(schema: Schema): string {
  const kind = kindOf(schema);
  const preset = schema.default === undefined ? '' : `Default: ${JSON.stringify(schema.default)}`;
  return [kind === 'lines' ? 'One per line' : kind === 'json' ? 'As JSON' : '', preset]
    .filter(Boolean)
    .join('. ');
}

interface FieldProps {
  readonly id: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly value: string;
  change(value: string): void;
}

function Field({ id, schema, required, value, change }: FieldProps) {
  const kind = kindOf(schema);
  const shared = { id, value, required };
  if (kind === 'choice' || kind === 'boolean')
    return (
      <select {...shared} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">–</option>
        {(kind === 'boolean' ? ['true', 'false'] : schema.enum!.map(String)).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  if (kind === 'number')
    return (
      <input
        {...shared}
        type="number"
        step={schema.type === 'integer' ? 1 : 'any'}
        {...(schema.minimum !== undefined && { min: schema.minimum })}
        {...(schema.maximum !== undefined && { max: schema.maximum })}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  return (
    <textarea
      {...shared}
      rows={kind === 'text' ? 1 : 3}
      spellcheck={kind === 'text'}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
