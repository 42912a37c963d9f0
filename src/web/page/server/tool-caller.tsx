import { useEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../shared/copy-button.tsx';
import type { Json, ToolReply } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { argumentsFrom, type Entries, type Schema, SchemaForm } from './schema-form.tsx';

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Schema;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

/** All tools of the server, and a form for the chosen one. */
export default function ToolCaller({ name }: { name: string | undefined }) {
  const { changes } = useConnection();
  const [query, setQuery] = useState('');
  const { value: tools = [], error } = useLoaded<readonly ListedTool[]>(
    async (client, signal) => {
      let all: readonly ListedTool[] = [];
      await client.all<ListedTool>('tools/list', 'tools', (found) => (all = found), signal);
      return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    [changes.tools],
  );
  const words = query.toLowerCase().split(/\s+/);
  const shown = tools.filter((tool) =>
    words.every((word) => `${tool.name} ${tool.title} ${tool.description}`.toLowerCase().includes(word)),
  );
  const tool = tools.find((one) => one.name === name);
  if (error) return <p class="problem">{error.message}</p>;
  return (
    <div class="tool-caller">
      <section aria-label="Tools" class={tool ? 'has-tool' : ''}>
        <input
          type="search"
          aria-label="Search tools"
          placeholder="Search tools"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <ul class="plain-list tool-list">
          {shown.map((one) => (
            <li key={one.name}>
              <a
                href={pathTo('server', '+tools', one.name)}
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
  const [entries, setEntries] = useState<Entries>({});
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
    <form onSubmit={call}>
      <h2>{title ?? name}</h2>
      <p class="marks">
        <code>{name}</code>
        <span class={`badge ${annotations.destructiveHint ? 'warning' : ''}`}>
          {reads ? 'only reads' : annotations.destructiveHint ? 'can replace or delete data' : 'changes data'}
        </span>
      </p>
      <p>{description}</p>
      <SchemaForm schema={inputSchema} entries={entries} change={setEntries} />
      <p class="buttons">
        <button type="submit" class="primary" disabled={running !== undefined || (readOnly && !reads)}>
          {running ? 'Running…' : 'Call tool'}
        </button>
        {running && (
          <button type="button" onClick={() => running.abort()}>
            Cancel
          </button>
        )}
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
