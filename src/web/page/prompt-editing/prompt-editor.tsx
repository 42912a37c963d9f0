import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { saveKeys, useShortcuts } from '../controls/commands.ts';
import { Problem, TextField } from '../controls/fields.tsx';
import { Loading } from '../controls/loading.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { readDraft, removeDraft, writeDraft } from '../shared/draft-storage.ts';
import { DraftNote } from '../shared/drafts.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { ProblemList, useDraftProblems } from './problem-list.tsx';
import type { Prompt } from './prompt.ts';
import { type Conflict, ConflictComparison, PromptConflict } from './prompt-conflict.tsx';
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
import { ArgumentFields, MessageFields } from './prompt-fields.tsx';
import { PromptPreview } from './prompt-preview.tsx';

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
  return value ? <EditorForm prompt={prompt} copyOf={copyOf} {...value} done={done} /> : <Loading />;
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
  const key = prompt ? `prompt/${prompt.name}` : `new prompt/${copyOf ?? ''}`;
  const [stored] = useState(() => readStored(key));
  // The version the draft started from. Changes when the user loads the server's version after a conflict.
  const [base, setBase] = useState(stored?.base ?? source ?? {});
  const [conflict, setConflict] = useState<Conflict | undefined>(() =>
    prompt && stored && stored.base.revision !== source?.revision ? { theirs: source } : undefined,
  );
  const newName = prompt?.name ?? (copyOf && copyName(copyOf));
  const original = (version: PromptSource) => (newName ? draftFrom(newName, version) : emptyDraft);
  const [draft, setDraft] = useState<Draft>(() => stored?.draft ?? original(base));
  const [comparing, setComparing] = useState(false);
  const [problem, setProblem] = useState('');
  const edited = isEdited(draft, original(base));
  const at = useMemo(() => Date.now(), [draft]);
  // A layout effect runs synchronously, so a reload right after the last key keeps the draft.
  useLayoutEffect(() => {
    if (edited) writeDraft(key, { value: { draft, base }, base: undefined, at: Date.now() });
    else removeDraft(key);
  }, [draft, base]);

  const form = useRef<HTMLFormElement>(null);
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
  const problems = useDraftProblems(createArguments({ ...draft, name: draft.name || 'draft' }, base));
  useShortcuts({ 'mod+s': () => form.current?.requestSubmit() });
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
    const undo = client.undoBy('update_prompt', {
      ...replacedBy(draft.name, before),
      expected_revision: revision,
    });
    toast({ text: `Saved ${draft.name}.`, undo });
  };
  const create = async () => {
    await client.tool('create_prompt', createArguments(draft, base));
    toast({ text: `Created ${draft.name}.`, undo: client.undoBy('delete_prompt', { name: draft.name }) });
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
      writeDraft(key, { value: { draft, base }, base: undefined, at: Date.now() });
      setBase(base);
      setDraft(draft);
      setConflict(conflict);
    };
    toast({ text, undo });
  };
  return (
    <form class="editor prompt-form" ref={form} onSubmit={save} data-form={prompt ? 'prompt' : 'new prompt'}>
      <header class="buttons editor-bar">
        {!prompt && <h1>{copyOf === undefined ? 'New prompt' : `Copy of ${copyOf}`}</h1>}
        <span class="grow" />
        {edited && (
          <DraftNote at={at} {...(!conflict && { discard: () => replaceDraft(base, 'Draft discarded.') })} />
        )}
        <ChangeButton
          type="submit"
          class={conflict ? '' : 'primary'}
          tool={prompt ? 'update_prompt' : 'create_prompt'}
        >
          {prompt ? 'Save' : 'Create'}{' '}
          <span aria-hidden="true">
            <kbd>{saveKeys}</kbd>
          </span>
        </ChangeButton>
        {conflict && (
          <PromptConflict
            {...{ ...conflict, name: draft.name, comparing }}
            compare={() => setComparing(!comparing)}
            keepMine={() => keepMine(conflict)}
            loadTheirs={() => loadTheirs(conflict)}
          />
        )}
        <Problem text={problem} />
      </header>
      {conflict?.theirs && comparing && (
        <ConflictComparison mine={mergedVersion(draft, base, conflict.theirs)} theirs={conflict.theirs} />
      )}
      <TextField
        label="Name"
        value={draft.name}
        required
        pattern="[A-Za-z0-9_][A-Za-z0-9_\-]*"
        title="Letters, digits, underscores and hyphens"
        aria-describedby="name-rule"
        readOnly={prompt !== undefined}
        change={(value) => set({ name: value })}
      />
      {!prompt && (
        <p id="name-rule" class="quiet small">
          What you write after the colon: letters, digits, underscores and hyphens, with no hyphen first.
        </p>
      )}
      <TextField label="Title" value={draft.title} change={(value) => set({ title: value })} />
      <TextField
        label="Description"
        value={draft.description}
        change={(value) => set({ description: value })}
      />
      <TextField
        label="Tags"
        value={draft.tags}
        placeholder="Separated by spaces"
        change={(value) => set({ tags: value })}
      />
      <div class="prompt-pair">
        <div>
          <MessageFields
            messages={draft.messages}
            change={(update) => setDraft((old) => ({ ...old, messages: update(old.messages) }))}
          />
          {problems.length > 0 && (
            <ProblemList problems={problems.map(({ file: _, line: __, ...found }) => found)} />
          )}
        </div>
        <PromptPreview name={draft.name} messages={draft.messages} args={args} />
      </div>
      <ArgumentFields
        key={base.revision}
        args={args}
        unused={new Set(args.map(({ name }) => name).filter((name) => !usesArgument(draft.messages, name)))}
        change={(changed) => set({ args: mergeArguments(draft.args, changed) })}
        remove={(name) => set({ args: draft.args.filter((one) => one.name !== name) })}
      />
    </form>
  );
}

/** Unsaved edits and the version of the prompt that they started from. */
function readStored(key: string): { readonly draft: Draft; readonly base: PromptSource } | undefined {
  const value = readDraft<{ draft: Draft; base: PromptSource } | undefined>(key)?.value;
  return Array.isArray(value?.draft?.messages) ? value : undefined;
}

/** The version on the server. Returns `undefined` if the prompt was deleted. */
async function currentVersion(client: McpClient, name: string): Promise<PromptSource | undefined> {
  try {
    return await client.tool('show_prompt', { name });
  } catch (error) {
    if (asError(error).failure?.kind === 'prompt-not-found') return undefined;
    throw error;
  }
}

/** The content of a prompt for a copy of it. Prompts of other sources are converted to the syntax of own prompts. */
async function copiedPrompt(client: McpClient, name: string): Promise<PromptSource> {
  const {
    kind,
    title = name,
    description,
    messages,
    arguments: args,
    tags,
  } = await client.tool('show_prompt', { name });
  const facts = { title: `${title} (copy)`, ...(description !== undefined && { description }) };
  if (kind === 'braces' || kind === 'none') return { ...facts, messages, arguments: args, tags };
  const { files } = await client.tool('export_prompts', { format: 'jsonl', names: [name] });
  const record = JSON.parse(files[0]?.text.split('\n')[0] || '{}') as PromptSource;
  return {
    ...facts,
    messages: record.messages ?? messages,
    arguments: record.arguments ?? args,
    tags: record.tags ?? tags,
  };
}

/** A valid name for the copy of a prompt. */
function copyName(name: string): string {
  return `${name.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'prompt'}_copy`;
}
