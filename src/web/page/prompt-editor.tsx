import { useState } from 'preact/hooks';
import { ArgumentFields } from './argument-fields.tsx';
import type { Prompt } from './prompt.ts';
import {
  argumentsOf,
  changesFrom,
  createdFrom,
  type Draft,
  draftOf,
  emptyDraft,
  type PromptSource,
  withChanged,
} from './prompt-draft.ts';
import { pathTo } from './route.ts';
import { asError, useConnection, useLoaded } from './server-connection.tsx';

interface Props {
  readonly prompt?: Prompt;
  done?(): void;
}

/** Makes a prompt, or changes one; the server says what is wrong with it before anything is kept. */
export function PromptEditor({ prompt, done }: Props) {
  const { value, error } = useLoaded<PromptSource>(
    (client, signal) =>
      prompt ? client.tool('show_prompt', { name: prompt.name }, { signal }) : Promise.resolve({}),
    [prompt?.name],
  );
  if (error) return <p class="problem">{error.message}</p>;
  // What a person has begun to write must not be replaced by what arrives later.
  return value ? (
    <EditorForm prompt={prompt} source={value} done={done} />
  ) : (
    <p class="empty">Asking the server…</p>
  );
}

function EditorForm({
  prompt,
  source,
  done,
}: {
  prompt: Prompt | undefined;
  source: PromptSource;
  done: Props['done'];
}) {
  const { client, touch } = useConnection();
  const [draft, setDraft] = useState<Draft>(() => (prompt ? draftOf(prompt.name, source) : emptyDraft));
  const [problem, setProblem] = useState('');

  const args = argumentsOf(draft, source);
  const set = (fields: Partial<Draft>) => setDraft((old) => ({ ...old, ...fields }));
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      if (prompt) await client.tool('update_prompt', changesFrom(draft, source));
      else await client.tool('create_prompt', createdFrom(draft));
      setProblem('');
      // A text that is another makes no other list, so nobody would tell.
      touch('prompts');
      if (done) done();
      else location.hash = pathTo('prompts', draft.name);
    } catch (error) {
      setProblem(asError(error).message);
    }
  };
  return (
    <form class="editor" onSubmit={save}>
      {!prompt && <h1>New prompt</h1>}
      <label>
        Name
        <input
          value={draft.name}
          required
          pattern="[A-Za-z0-9_]+"
          title="Letters, digits and underscores"
          readOnly={prompt !== undefined}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <label>
        Title
        <input value={draft.title} onInput={(event) => set({ title: event.currentTarget.value })} />
      </label>
      <label>
        Description
        <input
          value={draft.description}
          onInput={(event) => set({ description: event.currentTarget.value })}
        />
      </label>
      <label>
        Tags
        <input
          value={draft.tags}
          placeholder="separated by blanks"
          onInput={(event) => set({ tags: event.currentTarget.value })}
        />
      </label>
      {draft.text !== undefined && (
        <label>
          Text
          <textarea
            rows={14}
            required
            value={draft.text}
            onInput={(event) => set({ text: event.currentTarget.value })}
          />
          <small>
            Write <code>{'{{name}}'}</code> where an argument goes.
          </small>
        </label>
      )}
      <ArgumentFields args={args} change={(changed) => set({ args: withChanged(draft.args, changed) })} />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary">
        {prompt ? 'Save' : 'Create'}
      </button>
    </form>
  );
}
