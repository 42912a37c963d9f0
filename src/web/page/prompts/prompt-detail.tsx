import { useState } from 'preact/hooks';
import type { PromptReply } from '../../../api.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { ArgumentForm } from './argument-form.tsx';
import { DeletePrompt } from './delete-prompt.tsx';
import { hasDraft } from './draft-storage.ts';
import { type Prompt, sourceOf, tagsOf } from './prompt.ts';
import { PromptEditor } from './prompt-editor.tsx';
import { PromptFacts } from './prompt-facts.tsx';
import { PromptHistory } from './prompt-history.tsx';
import { PromptProblems } from './prompt-problems.tsx';
import { TemplateSource } from './template-source.tsx';

const tabs = { use: 'Use', edit: 'Edit', history: 'History' } as const;

/** One prompt: its template, a form for its arguments, and the result, updated while typing. */
export function PromptDetail({ prompt, deleted }: { prompt: Prompt; deleted: boolean }) {
  const { changes } = useConnection();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [tab, setTab] = useState<keyof typeof tabs>(() => (hasDraft(prompt.name) ? 'edit' : 'use'));
  const source = useLoaded(
    (client, signal) => client.tool('show_prompt', { name: prompt.name }, { signal }),
    [prompt.name, changes.prompts],
  );
  const editable = source.value?.editable === true;
  const rendered = useLoaded<PromptReply>(
    (client, signal) => client.request('prompts/get', { name: prompt.name, arguments: values }, { signal }),
    [prompt.name, values, changes.prompts],
  );
  const text =
    rendered.value?.messages
      .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
      .join('\n\n') ?? '';
  const missing =
    prompt.arguments?.filter(({ name, required }) => required && values[name] === undefined) ?? [];
  // Keep the editor open when someone else deletes the prompt, so that unsaved edits are not lost.
  if (deleted && tab !== 'edit') return <p class="empty late">Prompt “{prompt.name}” not found.</p>;
  return (
    <article>
      <h1>{prompt.title ?? prompt.name}</h1>
      <p class="quiet marks">
        <span class={`badge source-${sourceOf(prompt)}`}>{sourceOf(prompt)}</span>
        {prompt.title !== undefined && prompt.title !== prompt.name && <code>{prompt.name}</code>}
        {tagsOf(prompt).map((tag) => (
          <span key={tag}>#{tag}</span>
        ))}
      </p>
      {prompt.description && <p>{prompt.description}</p>}
      {source.value !== undefined && <PromptFacts prompt={source.value} />}
      <PromptProblems name={prompt.name} />
      {editable && (
        <div class="toolbar bare">
          <Tabs label="Prompt view" tabs={tabs} chosen={tab} choose={(next) => setTab(next)} />
          <DeletePrompt name={prompt.name} shownRevision={source.value?.revision} />
        </div>
      )}
      {tab === 'edit' && <PromptEditor prompt={prompt} done={() => setTab('use')} />}
      {tab === 'history' && <PromptHistory name={prompt.name} />}
      {tab === 'use' && (
        <div class="columns">
          <section>
            {(prompt.arguments?.length ?? 0) > 0 && <h2>Arguments</h2>}
            <ArgumentForm prompt={prompt} values={values} change={setValues} />
            <h2>Template</h2>
            {source.value?.file && <p class="quiet file">{source.value.file}</p>}
            {source.error ? (
              <p class="problem">{source.error.message}</p>
            ) : (
              <TemplateSource text={source.value?.template ?? ''} />
            )}
          </section>
          <section>
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
          </section>
        </div>
      )}
    </article>
  );
}

function listNames(args: readonly { readonly name: string }[]): string {
  const names = args.slice(0, 3).map(({ name }) => name);
  return args.length > 3 ? `${names.join(', ')} and ${args.length - 3} more` : names.join(' and ');
}
