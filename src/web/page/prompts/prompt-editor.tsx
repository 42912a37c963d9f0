import { useLayoutEffect, useState } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { ArgumentFields } from './argument-fields.tsx';
import { newPromptKey, readDraft, removeDraft, writeDraft } from './draft-storage.ts';
import type { Prompt } from './prompt.ts';
import { type Conflict, PromptConflict } from './prompt-conflict.tsx';
import {
  createArguments,
  type Draft,
  draftFrom,
  editedArguments,
  emptyDraft,
  isEdited,
  mergeArguments,
  mergedVersion,
  type PromptSource,
  updateArguments,
} from './prompt-draft.ts';

interface Props {
  readonly prompt?: Pick<Prompt, 'name'> | undefined;
  done?(): void;
}

/** Creates or edits a prompt. The server validates it before saving. */
export function PromptEditor({ prompt, done }: Props) {
  const { value, error } = useLoaded<{ source: PromptSource | undefined }>(
    async (client) => ({ source: prompt ? await currentVersion(client, prompt.name) : {} }),
    [prompt?.name],
  );
  if (error) return <p class="problem">{error.message}</p>;
  // The form keeps its own state, so that later updates from the server do not overwrite unsaved edits.
  return value ? <EditorForm prompt={prompt} {...value} done={done} /> : <p class="empty">Loading…</p>;
}

interface FormProps {
  readonly prompt: Props['prompt'];
  /** The version on the server. Undefined if the prompt was deleted. */
  readonly source: PromptSource | undefined;
  readonly done: Props['done'];
}

function EditorForm({ prompt, source, done }: FormProps) {
  const { client } = useConnection();
  const toast = useToast();
  const key = prompt?.name ?? newPromptKey;
  const [stored] = useState(() => readDraft(key));
  // The version the draft started from. Changes when the user loads the server's version after a conflict.
  const [base, setBase] = useState(stored?.base ?? source ?? {});
  const [conflict, setConflict] = useState<Conflict | undefined>(() =>
    stored && stored.base.revision !== source?.revision ? { theirs: source } : undefined,
  );
  const original = (version: PromptSource) => (prompt ? draftFrom(prompt.name, version) : emptyDraft);
  const [draft, setDraft] = useState<Draft>(() => stored?.draft ?? original(base));
  const [problem, setProblem] = useState('');
  const edited = isEdited(draft, original(base));
  // A layout effect runs synchronously, so a reload right after the last key keeps the draft.
  useLayoutEffect(() => {
    if (edited) writeDraft(key, { draft, base });
    else removeDraft(key);
  }, [draft, base]);

  const args = editedArguments(draft, base);
  const set = (fields: Partial<Draft>) => setDraft((old) => ({ ...old, ...fields }));
  const submit = async (call: () => Promise<unknown>) => {
    setProblem('');
    try {
      await call();
      removeDraft(key);
      if (done) done();
      else location.hash = pathTo('prompts', draft.name);
    } catch (error) {
      const { failure, message } = asError(error);
      const kind = failure?.kind;
      if (prompt && (kind === 'conflict' || kind === 'prompt-not-found'))
        await currentVersion(client, prompt.name).then(
          (theirs) => setConflict({ theirs }),
          (failed) => setProblem(asError(failed).message),
        );
      else setProblem(message);
    }
  };
  const update = (expected: string | undefined) =>
    client.tool('update_prompt', {
      ...updateArguments(draft, base),
      ...(expected !== undefined && { expected_revision: expected }),
    });
  const save = (event: Event) => {
    event.preventDefault();
    return submit(() =>
      prompt ? update(base.revision) : client.tool('create_prompt', createArguments(draft)),
    );
  };
  const keepMine = ({ theirs }: Conflict) =>
    submit(() =>
      theirs ? update(theirs.revision) : client.tool('create_prompt', createArguments(draft, base)),
    );
  const loadTheirs = ({ theirs }: Conflict) => {
    if (!theirs) {
      removeDraft(key);
      return done?.();
    }
    replaceDraft(theirs, 'The form now contains the version on the server.');
  };
  const replaceDraft = (version: PromptSource, text: string) => {
    setConflict(undefined);
    setBase(version);
    setDraft(original(version));
    const undo = async () => {
      // The editor may have been closed.
      writeDraft(key, { draft, base });
      setBase(base);
      setDraft(draft);
      setConflict(conflict);
    };
    toast({ text, action: { label: 'Undo', run: undo } });
  };
  return (
    <form class="editor" onSubmit={save}>
      {!prompt && <h1>New prompt</h1>}
      {edited && (
        <p class="buttons">
          <span class="badge warning">Unsaved draft</span>
          {!conflict && (
            <button type="button" class="small" onClick={() => replaceDraft(base, 'Draft discarded.')}>
              Discard draft
            </button>
          )}
        </p>
      )}
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
          placeholder="Separated by spaces"
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
            Use <code>{'{{name}}'}</code> to insert an argument.
          </small>
        </label>
      )}
      <ArgumentFields args={args} change={(changed) => set({ args: mergeArguments(draft.args, changed) })} />
      {conflict && (
        <PromptConflict
          {...conflict}
          mine={mergedVersion(draft, base, conflict.theirs ?? base)}
          keepMine={() => keepMine(conflict)}
          loadTheirs={() => loadTheirs(conflict)}
        />
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!conflict && (
        <ChangeButton type="submit" class="primary">
          {prompt ? 'Save' : 'Create'}
        </ChangeButton>
      )}
    </form>
  );
}

/** Returns `undefined` if the prompt was deleted. */
async function currentVersion(client: McpClient, name: string): Promise<PromptSource | undefined> {
  try {
    return await client.tool('show_prompt', { name });
  } catch (error) {
    if (asError(error).failure?.kind === 'prompt-not-found') return undefined;
    throw error;
  }
}
