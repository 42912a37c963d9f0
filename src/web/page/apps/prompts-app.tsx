import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type AppProps, runApp } from './app-frame.tsx';

type Prompt = ToolAnswer<'list_prompts'>['prompts'][number];

/** Lets the user pick a prompt, fill in its arguments and send it as a message of the chat. */
function PromptsApp({ call: { arguments: args }, bridge }: AppProps) {
  const { changes } = useConnection();
  const [typed, setTyped] = useState<string | undefined>();
  const [picked, setPicked] = useState<Prompt | undefined>();
  const query = typed ?? String(args?.['query'] ?? '');
  const { value: prompts, error } = useLoaded(
    async (client, signal): Promise<readonly Prompt[]> =>
      query.trim() === ''
        ? (await client.tool('list_prompts', { limit: 50 }, { signal })).prompts
        : (await client.tool('search_prompts', { query, limit: 20 }, { signal })).matches,
    [query, changes.prompts],
  );
  if (picked !== undefined)
    return <PromptForm prompt={picked} bridge={bridge} back={() => setPicked(undefined)} />;
  return (
    <>
      <h1>Prompts</h1>
      <input
        type="search"
        aria-label="Search prompts"
        value={query}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {error !== undefined && <p class="problem box">{asError(error).message}</p>}
      <ul class="app-list">
        {prompts?.map((prompt) => (
          <li key={prompt.name}>
            <button type="button" onClick={() => setPicked(prompt)}>
              {prompt.name}
              <small>{prompt.description}</small>
            </button>
          </li>
        ))}
      </ul>
      {prompts?.length === 0 && <p class="quiet">No prompt matches.</p>}
    </>
  );
}

interface FormProps {
  readonly prompt: Prompt;
  readonly bridge: AppProps['bridge'];
  back(): void;
}

function PromptForm({ prompt, bridge, back }: FormProps) {
  const toast = useToast();
  const { changes } = useConnection();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const ready = prompt.arguments.every(({ name, required }) => !required || values[name]);
  const { value: text, error } = useLoaded(
    async (client, signal) =>
      ready
        ? (await client.tool('expand_prompt', { command: prompt.name, arguments: values }, { signal })).text
        : undefined,
    [prompt.name, JSON.stringify(values), ready, changes.prompts],
  );
  const send = () =>
    bridge.sendMessage(text!).then(
      () => toast({ text: 'Sent to the chat.' }),
      (problem) => toast({ text: asError(problem).message }),
    );
  return (
    <>
      <h1>{prompt.name}</h1>
      <p class="quiet">{prompt.description}</p>
      {prompt.arguments.map(({ name, description, required }) => (
        <label key={name}>
          {name}
          {required ? '' : ' (optional)'}
          <textarea
            rows={2}
            title={description}
            value={values[name] ?? ''}
            onInput={({ currentTarget }) => setValues((now) => ({ ...now, [name]: currentTarget.value }))}
          />
        </label>
      ))}
      {error !== undefined && <p class="problem box">{asError(error).message}</p>}
      {text !== undefined && <pre>{text}</pre>}
      <p>
        <button type="button" disabled={!ready || text === undefined} onClick={send}>
          Send to the chat
        </button>{' '}
        <button type="button" class="plain" onClick={back}>
          Back to the list
        </button>
      </p>
    </>
  );
}

runApp(PromptsApp);
