import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, SearchField } from '../controls/fields.tsx';
import { matches } from '../controls/words.ts';
import { CopyButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import type { Json, ToolReply } from '../shared/mcp-client.ts';
import { pathTo, useAddressed } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Schema;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

/** All tools of the server, and a form for the chosen one. */
export function ToolCaller({ name }: { name: string | undefined }) {
  const { changes } = useConnection();
  const [query, setQuery] = useAddressed<string>('find', '', { typed: true });
  const { value: tools = [], error } = useLoaded<readonly ListedTool[]>(
    async (client, signal) => {
      let all: readonly ListedTool[] = [];
      await client.all<ListedTool>('tools/list', 'tools', (found) => (all = found), signal);
      return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    [changes.tools],
  );
  const shown = tools.filter(({ name, title, description }) =>
    matches(`${name} ${title} ${description}`, query),
  );
  const tool = tools.find((one) => one.name === name);
  if (error) return <p class="problem">{error.message}</p>;
  return (
    <div class="tool-caller">
      <section aria-label="Tools" class={tool ? 'has-tool' : ''}>
        <SearchField label="Search tools" value={query} change={setQuery} />
        <ul class="plain-list tool-list">
          {shown.map((one) => (
            <li key={one.name}>
              <a
                href={pathTo('server', '+tools', one.name, query === '' ? {} : { find: query })}
                aria-current={one.name === name ? 'true' : undefined}
              >
                {one.title ?? one.name}
              </a>{' '}
              <code class="quiet">{one.name}</code>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Call a tool">
        {tool ? (
          <ToolForm key={tool.name} tool={tool} />
        ) : (
          <p class="quiet">{name ? `There is no tool “${name}”.` : 'Select a tool to call it.'}</p>
        )}
      </section>
    </div>
  );
}

interface Outcome {
  readonly text: string;
  readonly failed: boolean;
}

function ToolForm({
  tool: { name, title, description, inputSchema, annotations = {} },
}: {
  tool: ListedTool;
}) {
  const { client, readOnly, invalidate } = useConnection();
  const draft = useDraft<Entries>('tool call', name, () => ({}));
  const entries = draft.fields;
  const [progress, setProgress] = useState<readonly string[]>([]);
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const [running, setRunning] = useState<AbortController | undefined>();
  const latest = useRef<AbortController | undefined>(undefined);
  latest.current = running;
  // Leaving the form cancels the call.
  useEffect(() => () => latest.current?.abort(), []);
  const reads = annotations.readOnlyHint === true;
  const call = async (event: Event) => {
    event.preventDefault();
    const ended = new AbortController();
    setRunning(ended);
    setProgress([]);
    setOutcome(undefined);
    try {
      const onNotification = (_: string, { message }: Json) =>
        typeof message === 'string' && setProgress((old) => [...old.slice(-99), message]);
      const reply = await client.request<ToolReply>(
        'tools/call',
        { name, arguments: argumentsFrom(inputSchema, entries) },
        { signal: ended.signal, onNotification },
      );
      const text = reply.content?.map((part) => part.text ?? '').join('\n') ?? '';
      setOutcome({
        text: reply.structuredContent ? JSON.stringify(reply.structuredContent, null, 2) : text,
        failed: reply.isError === true,
      });
      if (!reads) for (const kind of ['prompts', 'resources'] as const) invalidate(kind);
    } catch (error) {
      setOutcome({ text: ended.signal.aborted ? 'Cancelled.' : asError(error).message, failed: true });
    }
    setRunning(undefined);
  };
  return (
    <form onSubmit={call} data-form={draft.form}>
      <h2>{title ?? name}</h2>
      <p class="marks">
        <code>{name}</code>
        <span class={`badge ${annotations.destructiveHint ? 'warning' : ''}`}>
          {reads ? 'only reads' : annotations.destructiveHint ? 'can replace or delete data' : 'changes data'}
        </span>
      </p>
      <p>{description}</p>
      <SchemaForm schema={inputSchema} entries={entries} change={draft.restore} />
      <p class="buttons">
        <button type="submit" class="primary" disabled={running !== undefined || (readOnly && !reads)}>
          {running ? 'Running…' : 'Call tool'}
        </button>
        {running && <Button onClick={() => running.abort()}>Cancel</Button>}
        <DraftMark draft={draft} />
      </p>
      {progress.length > 0 && (
        <pre class="result" role="log" aria-label="Progress">
          {progress.join('\n')}
        </pre>
      )}
      {outcome && (
        <>
          <h3 class="with-button">
            {outcome.failed ? 'Error' : 'Result'} <CopyButton text={outcome.text} />
          </h3>
          <pre class={`result ${outcome.failed ? 'problem' : ''}`} role="status" tabIndex={0}>
            {outcome.text}
          </pre>
        </>
      )}
    </form>
  );
}

/** The part of JSON Schema that the forms understand. Everything else is entered as JSON. */
interface Schema {
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
type Entries = Readonly<Record<string, string>>;

type Kind = 'choice' | 'boolean' | 'number' | 'text' | 'lines' | 'json';

function kindOf({ type, enum: choices, items }: Schema): Kind {
  if (choices) return 'choice';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  return type === 'array' && items?.type === 'string' ? 'lines' : 'json';
}

/** Converts what was entered to arguments. Throws an error that names the field if a value is not valid JSON. */
function argumentsFrom({ properties = {} }: Schema, entries: Entries): Record<string, unknown> {
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
function SchemaForm({ schema: { properties = {}, required = [] }, entries, change }: Props) {
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
