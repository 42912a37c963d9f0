import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { Button } from '../controls/fields.tsx';
import { counted } from '../controls/words.ts';
import { type Prompt, tagsOf } from '../prompt-editing/prompt.ts';
import { ChangeButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { ExportButton } from './prompt-exchange.tsx';

interface Props {
  readonly prompts: readonly Prompt[];
  /** How many prompts are shown, all of which can be selected. */
  readonly all: number;
  selectAll(): void;
  done(): void;
}

/** Tags, exports or deletes the selected prompts. Every change can be undone. */
export function BulkActions({ prompts, all, selectAll, done }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const draft = useDraft('bulk tag', '', () => ({ tag: '' }));
  const { tag } = draft.fields;
  const [progress, setProgress] = useState('');
  /** Runs the work for each prompt. A prompt that cannot be changed does not stop the others. */
  const each = async (verb: string, work: (prompt: Prompt) => Promise<unknown>) => {
    const changed: Prompt[] = [];
    const failures: string[] = [];
    for (const [at, prompt] of prompts.entries()) {
      setProgress(`${at + 1} of ${prompts.length}`);
      await work(prompt).then(
        () => changed.push(prompt),
        (error) => failures.push(asError(error).message),
      );
    }
    setProgress('');
    const rest = failures.length > 0 ? ` ${failures.length} not changed: ${failures[0]}` : '';
    return { changed, text: `${verb} ${counted(changed.length, 'prompt')}.${rest}` };
  };
  const setTags = async (verb: string, change: (tags: readonly string[]) => readonly string[]) => {
    const { changed, text } = await each(verb, ({ name, ...prompt }) =>
      client.tool('update_prompt', { name, tags: change(tagsOf({ name, ...prompt })) }),
    );
    const undo = async () => {
      for (const prompt of changed)
        await client.tool('update_prompt', { name: prompt.name, tags: tagsOf(prompt) });
    };
    toast({ text, ...(changed.length > 0 && { undo }) });
    if (changed.length > 0) draft.clear();
  };
  const remove = async () => {
    const { changed, text } = await each('Deleted', ({ name }) => client.tool('delete_prompt', { name }));
    const undo = async () => {
      const revisions = await deletedRevisions(client);
      for (const { name } of changed) {
        const revision = revisions.get(name);
        if (revision !== undefined) await client.tool('restore_prompt', { name, revision });
      }
    };
    toast({ text, ...(changed.length > 0 && { undo }) });
    if (changed.length > 0) done();
  };
  const word = tag.trim().replace(/^#/, '');
  const none = prompts.length === 0 || progress !== '';
  return (
    <div class="bulk" role="group" aria-label="Selected prompts">
      <p class="buttons">
        <strong role="status">{progress || `${prompts.length} selected`}</strong>
        <span class="grow" />
        <Button class="small" onClick={selectAll}>
          Select all {all}
        </Button>
        <Button class="small" onClick={done}>
          Done
        </Button>
      </p>
      <p class="buttons" data-form={draft.form}>
        <input
          aria-label="Tag"
          placeholder="Tag"
          value={tag}
          onInput={(event) => draft.set({ tag: event.currentTarget.value })}
        />
        <ChangeButton
          class="small"
          tool="update_prompt"
          disabled={none || word === ''}
          onClick={() => setTags('Tagged', (tags) => [...new Set([...tags, word])])}
        >
          Add tag
        </ChangeButton>
        <ChangeButton
          class="small"
          tool="update_prompt"
          disabled={none || word === ''}
          onClick={() => setTags('Untagged', (tags) => tags.filter((one) => one !== word))}
        >
          Remove tag
        </ChangeButton>
        <ExportButton names={prompts.map(({ name }) => name)} disabled={none} />
        <ChangeButton class="small danger" tool="delete_prompt" disabled={none} onClick={remove}>
          Delete
        </ChangeButton>
        <DraftMark draft={draft} />
      </p>
    </div>
  );
}

/** The last revision of every deleted prompt, by name. Restoring it brings the prompt back. */
async function deletedRevisions(client: McpClient): Promise<ReadonlyMap<string, number>> {
  const { prompts } = await client.tool('list_deleted_prompts', wholeList);
  return new Map(prompts.map(({ name, revision }) => [name, revision]));
}
