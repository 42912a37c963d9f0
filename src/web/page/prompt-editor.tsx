import { useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments } from '../../api.ts';
import { ArgumentFields } from './argument-fields.tsx';
import { type Prompt, type PromptArgument, tagsOf } from './prompt.ts';
import { pathTo } from './route.ts';
import { asError, useConnection, useLoaded } from './server-connection.tsx';

interface Draft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tags: string;
  readonly text: string;
  readonly role: 'user' | 'assistant';
  readonly args: readonly PromptArgument[];
}

type Source = Partial<ToolAnswer<'show_prompt'>>;

const fresh: Draft = { name: '', title: '', description: '', tags: '', text: '', role: 'user', args: [] };

interface Props {
  readonly prompt?: Prompt;
  done?(): void;
}

/** Makes a prompt, or changes one; the server says what is wrong with it before anything is kept. */
export function PromptEditor({ prompt, done }: Props) {
  const { value, error } = useLoaded<Source>(
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

function draftOf(prompt: Prompt, { messages = [] }: Source): Draft {
  return {
    name: prompt.name,
    title: prompt.title ?? prompt.name,
    description: prompt.description ?? '',
    tags: tagsOf(prompt).join(' '),
    text: messages[0]?.content.type === 'text' ? messages[0].content.text : '',
    role: messages[0]?.role ?? 'user',
    args: prompt.arguments ?? [],
  };
}

function EditorForm({
  prompt,
  source,
  done,
}: {
  prompt: Prompt | undefined;
  source: Source;
  done: Props['done'];
}) {
  const { client, touch } = useConnection();
  const [draft, setDraft] = useState<Draft>(() => (prompt ? draftOf(prompt, source) : fresh));
  const [problem, setProblem] = useState('');

  const used = [...new Set([...draft.text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!))];
  const args = used.map(
    (name) => draft.args.find((known) => known.name === name) ?? { name, required: true },
  );
  const set = (fields: Partial<Draft>) => setDraft((old) => ({ ...old, ...fields }));
  const save = async (event: Event) => {
    event.preventDefault();
    const others = source.messages?.slice(1) ?? [];
    const fields = {
      name: draft.name,
      title: draft.title || draft.name,
      description: draft.description,
      tags: draft.tags.split(/[\s,#]+/).filter((tag) => tag !== ''),
      arguments: args,
      messages: [{ role: draft.role, content: { type: 'text', text: draft.text } }, ...others],
    };
    try {
      await client.tool(prompt ? 'update_prompt' : 'create_prompt', fields as ToolArguments<'create_prompt'>);
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
      <ArgumentFields
        args={args}
        change={(changed) =>
          set({ args: [...draft.args.filter(({ name }) => !used.includes(name)), ...changed] })
        }
      />
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
