import { useState } from 'preact/hooks';
import type { PromptReply, ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { useCommands, useShortcuts } from '../controls/commands.ts';
import { Button } from '../controls/fields.tsx';
import { Menu } from '../controls/menu.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { Highlighted } from '../prompt-editing/highlighted-text.tsx';
import { folderOf, isFavourite, type Prompt, sourceOf, tagsOf, usesOf } from '../prompt-editing/prompt.ts';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton, ChangeLink, CopyButton, MoreButton } from '../shared/buttons.tsx';
import { hasDraft } from '../shared/draft-storage.ts';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import { lazy } from '../shared/lazy.tsx';
import { parseRoute, pathBeside, pathTo } from '../shared/route.ts';
import { useConnection, useLoaded, useTool } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { FavouriteButton, FolderField, useFiling } from './favourites.tsx';
import { PromptProblems } from './prompt-problems.tsx';

const PromptEditor = lazy(() => import('../prompt-editing/prompt-editor.tsx'), 'PromptEditor');
const TryPrompt = lazy(() => import('../trials/try-prompt.tsx'), 'TryPrompt');
const PromptHistory = lazy(() => import('./prompt-history.tsx'), 'PromptHistory');

const tabs = { use: 'Use', try: 'Try', edit: 'Edit', history: 'History' } as const;
type Tab = keyof typeof tabs;

interface Props {
  readonly prompt: Prompt;
  /** The prompts that include it. */
  readonly includedBy: readonly string[];
  /** All folders of the library. */
  readonly folders: readonly string[];
  readonly deleted: boolean;
  /** The tab in the address. */
  readonly part: string | undefined;
}

/** One prompt: its template, a form for its arguments, and the result, updated while typing. */
export function PromptDetail({ prompt, includedBy, folders, deleted, part }: Props) {
  const { changes } = useConnection();
  const { name } = prompt;
  const file = useFiling(prompt);
  const toggleFavourite = () => file({ favourite: !isFavourite(prompt) });
  const draft = useDraft<Readonly<Record<string, string>>>('arguments', name, () => ({}));
  const values = draft.fields;
  const [first] = useState<Tab>(() => (hasDraft(`prompt/${name}`) ? 'edit' : 'use'));
  const tab = part !== undefined && part in tabs ? (part as Tab) : first;
  const setTab = (next: Tab) => {
    location.hash = pathTo('prompts', name, next);
  };
  /** Saving takes a moment, in which the user may have gone elsewhere. */
  const closeEditor = () => {
    const now = parseRoute(location.hash);
    if (now.name === name && (now.part ?? 'edit') === 'edit') setTab('use');
  };
  const source = useLoaded(
    async (client, signal) => ({
      ...(await client.tool('show_prompt', { name }, { signal })),
      round: changes.prompts,
    }),
    [name, changes.prompts],
  );
  const editable = source.value?.editable === true;
  // While a newer version is loaded, a person cannot know what would be deleted.
  const isCurrent = source.value?.round === changes.prompts;
  const rendered = useLoaded<PromptReply>(
    (client, signal) => client.request('prompts/get', { name, arguments: values }, { signal }),
    [name, values, changes.prompts],
  );
  useShortcuts({ f: toggleFavourite, ...(editable && { e: () => setTab('edit') }) });
  useCommands([
    { title: `Try ${name}`, hint: 'This prompt', run: () => setTab('try') },
    ...(editable ? [{ title: `Edit ${name}`, hint: 'e', run: () => setTab('edit') }] : []),
    { title: `Mark ${name} as favourite`, hint: 'f', run: toggleFavourite },
    { title: `Duplicate ${name}`, hint: 'This prompt', run: () => (location.hash = duplicatePath(name)) },
  ]);
  const text =
    rendered.value?.messages
      .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
      .join('\n\n') ?? '';
  const missing = prompt.arguments?.filter((one) => one.required && values[one.name] === undefined) ?? [];
  // Keep the editor open when someone else deletes the prompt, so that unsaved edits are not lost.
  if (deleted && tab !== 'edit') return <p class="empty late">Prompt “{name}” not found.</p>;
  const { edit, history, ...reading } = tabs;
  return (
    <article>
      <PageHead
        title={prompt.title ?? name}
        path={[['Prompts', pathBeside('prompts')]]}
        here={folderOf(prompt) || sourceOf(prompt)}
        actions={
          <>
            <Tabs
              label="Prompt view"
              tabs={editable ? { ...reading, edit, history } : reading}
              chosen={tab}
              choose={setTab}
            />
            <Menu label={`More about ${name}`}>
              <ChangeLink tool="create_prompt" href={duplicatePath(name)}>
                Duplicate
              </ChangeLink>
              {editable && (
                <>
                  <hr />
                  <DeletePrompt name={name} revision={isCurrent ? source.value?.revision : undefined} />
                </>
              )}
            </Menu>
          </>
        }
      >
        {prompt.title !== undefined && prompt.title !== name && <code class="quiet">{name}</code>}
        <FavouriteButton prompt={prompt} />
      </PageHead>
      <p class="quiet marks">
        <span class={`badge source-${sourceOf(prompt)}`}>{sourceOf(prompt)}</span>
        {tagsOf(prompt).map((tag) => (
          <span key={tag}>#{tag}</span>
        ))}
        <FolderField prompt={prompt} folders={folders} />
      </p>
      {prompt.description && <p>{prompt.description}</p>}
      {source.value !== undefined && <PromptFacts prompt={source.value} />}
      <PromptLinks title="Includes" names={usesOf(prompt)} />
      <PromptLinks title="Included in" names={includedBy} />
      <PromptProblems name={name} />
      {tab === 'edit' && <PromptEditor prompt={prompt} done={closeEditor} />}
      {tab === 'history' && <PromptHistory name={name} />}
      {(tab === 'use' || tab === 'try') && (
        <div class="columns use">
          <section class="use-arguments">
            {(prompt.arguments?.length ?? 0) > 0 && <h2>Arguments</h2>}
            <ArgumentForm prompt={prompt} values={values} change={draft.restore} />
            <div class="buttons">
              <DraftMark draft={draft} />
            </div>
          </section>
          {tab === 'use' && (
            <section class="use-template">
              <h2>
                <abbr title="The text of the prompt, with its arguments in double braces">Template</abbr>
              </h2>
              {source.value?.file && <p class="quiet file">{source.value.file}</p>}
              {source.error ? (
                <p class="problem">{source.error.message}</p>
              ) : (
                <pre class="template">
                  <Highlighted text={source.value?.template ?? ''} />
                </pre>
              )}
            </section>
          )}
          <section class="use-result">
            {tab === 'try' ? (
              <TryPrompt
                name={name}
                values={values}
                blocked={missing.length > 0 ? `Fill in ${listNames(missing)} first.` : undefined}
                editable={editable}
              />
            ) : (
              <>
                <h2 class="with-button">
                  Result <CopyButton text={rendered.error ? '' : text} />
                </h2>
                {rendered.error ? (
                  <p class={missing.length > 0 ? 'quiet' : 'problem box'} role="status">
                    {missing.length > 0
                      ? `Fill in ${listNames(missing)} to see the result.`
                      : rendered.error.message}
                  </p>
                ) : (
                  <pre class="result" aria-live="polite">
                    {text}
                  </pre>
                )}
                <ClientUse prompt={prompt} values={values} />
              </>
            )}
          </section>
        </div>
      )}
    </article>
  );
}

function duplicatePath(name: string): string {
  return pathTo('prompts', '+new', name);
}

function listNames(args: readonly { readonly name: string }[]): string {
  const names = args.slice(0, 3).map(({ name }) => name);
  return args.length > 3 ? `${names.join(', ')} and ${args.length - 3} more` : names.join(' and ');
}

/** What to write in a client to use the prompt. */
function ClientUse({ prompt: { name, arguments: args = [] }, values }: ClientUseProps) {
  const [first] = args;
  const text = args.length === 1 ? (values[first!.name] ?? '…') : args.length > 1 ? '…' : '';
  const written = `:${name} ${text}`.trim();
  return (
    <section class="client-use">
      <h2>In your client</h2>
      <p class="row copy-line">
        <code>{written}</code> <CopyButton text={written} />
      </p>
      <p class="quiet hint">
        {text === '…' && (args.length === 1 ? `Write ${first!.name} instead of the dots. ` : `${dots} `)}
        The model of the client replaces the line with this prompt.
      </p>
    </section>
  );
}

const dots = 'Write the arguments instead of the dots, in this order, in quotes if they contain spaces.';

interface ClientUseProps {
  readonly prompt: Prompt;
  readonly values: Readonly<Record<string, string>>;
}

/** Deletes the prompt only if it still has the shown revision. Undo restores it from the history. */
function DeletePrompt({ name, revision: shown }: { name: string; revision: string | undefined }) {
  const { client, act } = useActions();
  const remove = () =>
    act(async () => {
      const { revisions } = await client.tool('prompt_history', { name, ...wholeList });
      const revision = revisions.at(-1)!.revision;
      await client.tool('delete_prompt', { name, expected_revision: shown! });
      location.hash = pathTo('prompts');
      const restore = client.undoBy('restore_prompt', { name, revision });
      const undo = async () => {
        await restore();
        location.hash = pathTo('prompts', name);
      };
      return { text: `Deleted ${name}.`, undo: Object.assign(undo, { step: restore.step }) };
    });
  return (
    <ChangeButton class="danger" tool="delete_prompt" disabled={shown === undefined} onClick={remove}>
      Delete
    </ChangeButton>
  );
}

/** Links to other prompts. */
function PromptLinks({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="quiet marks">
      {title}
      {names.map((name) => (
        <a key={name} href={pathTo('prompts', name)}>
          {name}
        </a>
      ))}
    </p>
  );
}

interface ArgumentFormProps {
  readonly prompt: Prompt;
  readonly values: Readonly<Record<string, string>>;
  change(values: Readonly<Record<string, string>>): void;
}

/** A prompt may declare thousands of arguments, so only this many fields are rendered at a time. */
const pageSize = 100;

/** A field for each argument, with the values the server suggests. */
function ArgumentForm({ prompt, values, change }: ArgumentFormProps) {
  const { client } = useConnection();
  const [suggestions, setSuggestions] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [visible, setVisible] = useState(pageSize);
  const all = prompt.arguments ?? [];
  const suggest = async (name: string, value: string) => {
    const { completion } = await client.request<{ completion: { values: string[] } }>('completion/complete', {
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name, value },
      context: { arguments: values },
    });
    setSuggestions((old) => ({ ...old, [name]: completion.values }));
  };
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = values;
    change(value === '' ? others : { ...values, [name]: value });
    // Suggestions are optional, so their errors are not shown.
    suggest(name, value).catch(() => {});
  };
  return (
    <form class="arguments" data-form="arguments" onSubmit={(event) => event.preventDefault()}>
      {all.slice(0, visible).map(({ name, description, required }) => (
        <label key={name}>
          <span class="argument-name">
            {name}
            {required && <span class="required"> required</span>}
          </span>
          <textarea
            rows={name === 'input' ? 4 : 2}
            value={values[name] ?? ''}
            aria-describedby={`about-${name}`}
            onFocus={() => suggest(name, values[name] ?? '').catch(() => {})}
            onInput={(event) => set(name, event.currentTarget.value)}
          />
          <small id={`about-${name}`}>{description}</small>
          {(suggestions[name]?.length ?? 0) > 0 && (
            <span class="buttons">
              {suggestions[name]!.slice(0, 8).map((value) => (
                <button key={value} type="button" class="chip" onClick={() => set(name, value)}>
                  {value}
                </button>
              ))}
            </span>
          )}
        </label>
      ))}
      <MoreButton shown={visible} all={all.length} step={pageSize} what="arguments" show={setVisible} />
    </form>
  );
}

type Shown = ToolAnswer<'show_prompt'>;
type Tested = ToolAnswer<'test_prompts'>;

/** The labels of a prompt, how often it was used, and its tests. */
function PromptFacts({ prompt }: { prompt: Shown }) {
  const { name, labels = {}, tests = 0 } = prompt;
  const { changes } = useConnection();
  const usage = useTool('prompt_usage', { name, ...wholeList }, changes.prompts);
  const used = usage.value?.prompts[0];
  return (
    <>
      <p class="quiet marks">
        {Object.entries(labels).map(([label, revision]) => (
          <span key={label} class="badge" title={`Revision ${revision}`}>
            @{label}
          </span>
        ))}
        {used !== undefined && (
          <span title={Object.keys(used.clients).join(', ')}>
            Used {used.count === 1 ? 'once' : `${used.count} times`} in 30 days, last on {used.last_day}
          </span>
        )}
      </p>
      {tests > 0 && <PromptTests key={`${name} ${prompt.revision}`} name={name} tests={tests} />}
    </>
  );
}

function PromptTests({ name, tests }: { name: string; tests: number }) {
  const { client, problem, attempt } = useActions();
  const [tested, setTested] = useState<Tested | undefined>();
  const run = () =>
    attempt(async () => setTested(await client.tool('test_prompts', { names: [name], ...wholeList })));
  return (
    <section aria-label="Tests">
      <p class="marks">
        <Button class="small" onClick={run}>
          Run {tests === 1 ? 'the test' : `${tests} tests`}
        </Button>
        {tested !== undefined && (
          <span role="status">
            {tested.passed} passed, {tested.failed} failed, {tested.skipped} skipped
          </span>
        )}
      </p>
      {problem && <p class="problem">{problem}</p>}
      <ul>
        {tested?.results.map(({ test, outcome, failures }) => (
          <li key={test} class={outcome === 'failed' ? 'problem' : 'quiet'}>
            {test}: {outcome}
            {failures.map((failure) => (
              <p key={failure}>{failure}</p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
