import { useState } from 'preact/hooks';
import type { PromptReply } from '../../../api.ts';
import { useCommands } from '../controls/commands.ts';
import { useShortcuts } from '../controls/shortcuts.ts';
import { hasDraft } from '../prompt-editing/draft-storage.ts';
import { type Prompt, sourceOf, tagsOf, usesOf } from '../prompt-editing/prompt.ts';
import { ChangeLink } from '../shared/change-button.tsx';
import { CopyButton } from '../shared/copy-button.tsx';
import { lazy } from '../shared/lazy.tsx';
import { parseRoute, pathTo } from '../shared/route.ts';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { ArgumentForm } from './argument-form.tsx';
import { ClientUse } from './client-use.tsx';
import { DeletePrompt } from './delete-prompt.tsx';
import { FavouriteButton, useFavourites } from './favourites.tsx';
import { PromptFacts } from './prompt-facts.tsx';
import { PromptLinks } from './prompt-links.tsx';
import { PromptProblems } from './prompt-problems.tsx';
import { TemplateSource } from './template-source.tsx';

const PromptEditor = lazy(() =>
  import('../prompt-editing/prompt-editor.tsx').then((module) => module.PromptEditor),
);
const TryPrompt = lazy(() => import('../trials/try-prompt.tsx').then((module) => module.default));
const PromptHistory = lazy(() => import('./prompt-history.tsx').then((module) => module.PromptHistory));

const tabs = { use: 'Use', try: 'Try', edit: 'Edit', history: 'History' } as const;
type Tab = keyof typeof tabs;

interface Props {
  readonly prompt: Prompt;
  /** The prompts that include it. */
  readonly includedBy: readonly string[];
  readonly deleted: boolean;
  /** The tab in the address. */
  readonly part: string | undefined;
}

/** One prompt: its template, a form for its arguments, and the result, updated while typing. */
export function PromptDetail({ prompt, includedBy, deleted, part }: Props) {
  const { changes } = useConnection();
  const { name } = prompt;
  const [, toggleFavourite] = useFavourites();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [first] = useState<Tab>(() => (hasDraft(name) ? 'edit' : 'use'));
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
    (client, signal) => client.tool('show_prompt', { name }, { signal }),
    [name, changes.prompts],
  );
  const editable = source.value?.editable === true;
  const rendered = useLoaded<PromptReply>(
    (client, signal) => client.request('prompts/get', { name, arguments: values }, { signal }),
    [name, values, changes.prompts],
  );
  useShortcuts({ f: () => toggleFavourite(name), ...(editable && { e: () => setTab('edit') }) });
  useCommands([
    { title: `Try ${name}`, hint: 'This prompt', run: () => setTab('try') },
    ...(editable ? [{ title: `Edit ${name}`, hint: 'e', run: () => setTab('edit') }] : []),
    { title: `Mark ${name} as favourite`, hint: 'f', run: () => toggleFavourite(name) },
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
      <h1>
        {prompt.title ?? name} <FavouriteButton name={name} />
      </h1>
      <p class="quiet marks">
        <span class={`badge source-${sourceOf(prompt)}`}>{sourceOf(prompt)}</span>
        {prompt.title !== undefined && prompt.title !== name && <code>{name}</code>}
        {tagsOf(prompt).map((tag) => (
          <span key={tag}>#{tag}</span>
        ))}
      </p>
      {prompt.description && <p>{prompt.description}</p>}
      {source.value !== undefined && <PromptFacts prompt={source.value} />}
      <PromptLinks title="Includes" names={usesOf(prompt)} />
      <PromptLinks title="Included in" names={includedBy} />
      <PromptProblems name={name} />
      <div class="toolbar bare">
        <Tabs
          label="Prompt view"
          tabs={editable ? { ...reading, edit, history } : reading}
          chosen={tab}
          choose={setTab}
        />
        <span class="buttons">
          <ChangeLink href={duplicatePath(name)}>Duplicate</ChangeLink>
          {editable && <DeletePrompt name={name} shownRevision={source.value?.revision} />}
        </span>
      </div>
      {tab === 'edit' && <PromptEditor prompt={prompt} done={closeEditor} />}
      {tab === 'history' && <PromptHistory name={name} />}
      {(tab === 'use' || tab === 'try') && (
        <div class="columns use">
          <section class="use-arguments">
            {(prompt.arguments?.length ?? 0) > 0 && <h2>Arguments</h2>}
            <ArgumentForm prompt={prompt} values={values} change={setValues} />
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
                <TemplateSource text={source.value?.template ?? ''} />
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
