import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../controls/problem.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { ArgumentFields } from './argument-fields.tsx';
import { copyKey, newPromptKey, readDraft, removeDraft, writeDraft } from './draft-storage.ts';
import { MessageFields } from './message-fields.tsx';
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
  replacedBy,
  updateArguments,
  usesArgument,
} from './prompt-draft.ts';
import { copiedPrompt, copyName, currentVersion } from './prompt-version.ts';

interface Props {
  /** The prompt to edit. Absent for a new one. */
  readonly prompt?: Pick<Prompt, 'name'> | undefined;
  /** A new prompt starts as a copy of this one. */
  readonly copyOf?: string | undefined;
  done?(): void;
}

/** Creates or edits a prompt. The server validates it before saving. */
export function PromptEditor({ prompt, copyOf, done }: Props) {
  const { changes } = useConnection();
  const { value, error } = useLoaded<{ source: PromptSource | undefined }>(
    async (client) => {
      if (prompt) return { source: await currentVersion(client, prompt.name) };
      return { source: copyOf === undefined ? {} : await copiedPrompt(client, copyOf) };
    },
    [prompt?.name, copyOf, prompt && changes.prompts],
  );
  if (error && !value) return <p class="problem">{error.message}</p>;
  // The form keeps its own state, so that later updates from the server do not overwrite unsaved edits.
  return value ? (
    <EditorForm prompt={prompt} copyOf={copyOf} {...value} done={done} />
  ) : (
    <p class="empty">Loading…</p>
  );
}

interface FormProps {
  readonly prompt: Props['prompt'];
  readonly copyOf: Props['copyOf'];
  /** The version on the server. Undefined if the prompt was deleted. */
  readonly source: PromptSource | undefined;
  readonly done: Props['done'];
}

function EditorForm({ prompt, copyOf, source, done }: FormProps) {
  const { client } = useConnection();
  const toast = useToast();
  const key = prompt?.name ?? (copyOf === undefined ? newPromptKey : copyKey(copyOf));
  const [stored] = useState(() => readDraft(key));
  // The version the draft started from. Changes when the user loads the server's version after a conflict.
  const [base, setBase] = useState(stored?.base ?? source ?? {});
  const [conflict, setConflict] = useState<Conflict | undefined>(() =>
    prompt && stored && stored.base.revision !== source?.revision ? { theirs: source } : undefined,
  );
  const newName = prompt?.name ?? (copyOf && copyName(copyOf));
  const original = (version: PromptSource) => (newName ? draftFrom(newName, version) : emptyDraft);
  const [draft, setDraft] = useState<Draft>(() => stored?.draft ?? original(base));
  const [problem, setProblem] = useState('');
  const edited = isEdited(draft, original(base));
  // A layout effect runs synchronously, so a reload right after the last key keeps the draft.
  useLayoutEffect(() => {
    if (edited) writeDraft(key, { draft, base });
    else removeDraft(key);
  }, [draft, base]);

  const saving = useRef(false);
  // A change elsewhere updates an untouched form at once. Unsaved edits are kept beside the other version. A conflict that
  // is shown stays as it is: choosing a version that was replaced in the meantime is a conflict again.
  useEffect(() => {
    if (!prompt || saving.current || conflict || !source || source.revision === base.revision) return;
    if (edited) return setConflict({ theirs: source });
    setBase(source);
    setDraft(original(source));
  }, [source?.revision]);

  const args = editedArguments(draft, base);
  const set = (fields: Partial<Draft>) => setDraft((old) => ({ ...old, ...fields }));
  const submit = async (call: () => Promise<unknown>) => {
    setProblem('');
    saving.current = true;
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
          (theirs) => setConflict({ theirs, whileSaving: true }),
          (failed) => setProblem(asError(failed).message),
        );
      else setProblem(message);
      saving.current = false;
    }
  };
  const update = async (expected: string | undefined, before: PromptSource) => {
    const { revision } = await client.tool('update_prompt', {
      ...updateArguments(draft, base),
      ...(expected !== undefined && { expected_revision: expected }),
    });
    const undo = () =>
      client.tool('update_prompt', { ...replacedBy(draft.name, before), expected_revision: revision });
    toast({ text: `Saved ${draft.name}.`, action: { label: 'Undo', run: undo } });
  };
  const create = async () => {
    await client.tool('create_prompt', createArguments(draft, base));
    const undo = () => client.tool('delete_prompt', { name: draft.name });
    toast({ text: `Created ${draft.name}.`, action: { label: 'Undo', run: undo } });
  };
  const save = (event: Event) => {
    event.preventDefault();
    return submit(() => (prompt ? update(base.revision, base) : create()));
  };
  const keepMine = ({ theirs }: Conflict) =>
    submit(() => (theirs ? update(theirs.revision, theirs) : create()));
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
      {!prompt && <h1>{copyOf === undefined ? 'New prompt' : `Copy of ${copyOf}`}</h1>}
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
      <MessageFields
        messages={draft.messages}
        change={(update) => setDraft((old) => ({ ...old, messages: update(old.messages) }))}
      />
      <ArgumentFields
        key={base.revision}
        args={args}
        unused={new Set(args.map(({ name }) => name).filter((name) => !usesArgument(draft.messages, name)))}
        change={(changed) => set({ args: mergeArguments(draft.args, changed) })}
        remove={(name) => set({ args: draft.args.filter((one) => one.name !== name) })}
      />
      {conflict && (
        <PromptConflict
          {...conflict}
          mine={mergedVersion(draft, base, conflict.theirs ?? base)}
          keepMine={() => keepMine(conflict)}
          loadTheirs={() => loadTheirs(conflict)}
        />
      )}
      <Problem text={problem} />
      {!conflict && (
        <ChangeButton type="submit" class="primary">
          {prompt ? 'Save' : 'Create'}
        </ChangeButton>
      )}
    </form>
  );
}
