import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type AppProps, runApp } from './app-frame.tsx';
import { ChatCard } from './chat-card.tsx';

const maxPrompts = 50;
/** How many the card shows. */
const firstPrompts = 5;

type Prompt = ToolAnswer<'list_prompts'>['prompts'][number];

/** Lets the user pick a prompt, fill in its arguments and send it as a message of the chat. */
function PromptsApp({ call: { arguments: args }, bridge, expanded, expand }: AppProps) {
  const { changes } = useConnection();
  const [typed, setTyped] = useState<string | undefined>();
  const [picked, setPicked] = useState<Prompt | undefined>();
  const query = typed ?? String(args?.['query'] ?? '');
  const { value: prompts, error } = useLoaded(
    async (client, signal): Promise<readonly Prompt[]> =>
      query.trim() === ''
        ? (await client.tool('list_prompts', { limit: maxPrompts }, { signal })).prompts
        : (await client.tool('search_prompts', { query, limit: 20 }, { signal })).matches,
    [query, changes.prompts],
  );
  if (picked !== undefined) {
    const current = prompts?.find(({ name }) => name === picked.name) ?? picked;
    return <PromptForm prompt={current} bridge={bridge} back={() => setPicked(undefined)} />;
  }
  const found = (
    <>
      {error !== undefined && <p class="problem box">{asError(error).message}</p>}
      {prompts?.length === 0 && (
        <p class="quiet">{query.trim() === '' ? 'There are no prompts yet.' : 'No prompt matches.'}</p>
      )}
    </>
  );
  if (!expanded)
    return (
      <ChatCard title={query.trim() === '' ? 'Prompts' : `Prompts for “${query.trim()}”`} expand={expand}>
        {found}
        <ul class="chat-rows">
          {prompts?.slice(0, firstPrompts).map((prompt) => (
            <li key={prompt.name}>
              <Button class="plain row chat-row" onClick={() => setPicked(prompt)}>
                <Icon name="prompts" />
                <b>{prompt.name}</b>
                <span class="quiet cut grow">{prompt.description}</span>
              </Button>
            </li>
          ))}
        </ul>
      </ChatCard>
    );
  return (
    <>
      <h1>Prompts</h1>
      <input
        type="search"
        aria-label="Search prompts"
        value={query}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {found}
      <ul class="app-list">
        {prompts?.map((prompt) => (
          <li key={prompt.name}>
            <Button onClick={() => setPicked(prompt)}>
              {prompt.name}
              <small>{prompt.description}</small>
            </Button>
          </li>
        ))}
      </ul>
      {prompts?.length === maxPrompts && (
        <p class="quiet">These are the first {maxPrompts} prompts. Search to find others.</p>
      )}
    </>
  );
}

function PromptForm({ prompt, bridge, back }: { prompt: Prompt; bridge: AppProps['bridge']; back(): void }) {
  const toast = useToast();
  const { changes } = useConnection();
  const draft = useDraft<Readonly<Record<string, string>>>('arguments', prompt.name, () => ({}));
  const values = draft.fields;
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
          {required ? '' : ' (optional)'} {description && <small>{description}</small>}
          <textarea
            rows={2}
            value={values[name] ?? ''}
            onInput={({ currentTarget }) => draft.set({ [name]: currentTarget.value })}
          />
        </label>
      ))}
      {error !== undefined && <p class="problem box">{asError(error).message}</p>}
      {text !== undefined && <pre class="result">{text}</pre>}
      <p>
        <Button class="primary" disabled={!ready || text === undefined || error !== undefined} onClick={send}>
          Send to the chat
        </Button>{' '}
        <Button class="plain" onClick={back}>
          Back to the list
        </Button>
      </p>
    </>
  );
}

runApp(PromptsApp);
