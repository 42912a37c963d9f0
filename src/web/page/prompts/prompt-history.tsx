import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Button } from '../controls/fields.tsx';
import { promptText } from '../prompt-editing/prompt-text.ts';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { lineDifference } from '../shared/line-difference.ts';
import { pathTo } from '../shared/route.ts';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

type Revision = ToolAnswer<'prompt_history'>['revisions'][number];

/** The revisions of a prompt, with their differences and a button to restore each one. */
export function PromptHistory({ name }: { name: string }) {
  const { changes } = useConnection();
  const { client, act } = useActions();
  const [open, setOpen] = useState<number | undefined>();
  const { value, error } = useTool('prompt_history', { name, ...wholeList }, changes.prompts);
  if (error) return <p class="problem">{error.message}</p>;
  const revisions = value?.revisions ?? [];
  const restore = (revision: number) =>
    act(async () => {
      await client.tool('restore_prompt', { name, revision });
      const before = revisions.at(-1);
      const undo = () => client.tool('restore_prompt', { name, revision: before!.revision });
      return {
        text: `Restored revision ${revision} of ${name}.`,
        ...(before?.prompt && before.action !== 'outside' && { undo }),
      };
    });
  return (
    <ol class="history">
      {revisions.toReversed().map((one) => (
        <li key={one.revision}>
          <p class="marks">
            <strong>{one.revision}</strong>
            <span class="badge">{one.action}</span>
            <span class="quiet grow" title={new Date(one.time).toLocaleString()}>
              {shortTime(one.time)} by {one.client.name || 'unknown client'}
            </span>
            <Button
              class="small"
              aria-expanded={open === one.revision}
              onClick={() => setOpen(open === one.revision ? undefined : one.revision)}
            >
              Show changes
            </Button>
            {one.prompt && (
              <ChangeButton class="small" onClick={() => restore(one.revision)}>
                Restore
              </ChangeButton>
            )}
          </p>
          {open === one.revision && (
            <Difference before={revisions.find((other) => other.revision === one.revision - 1)} after={one} />
          )}
        </li>
      ))}
    </ol>
  );
}

function Difference({ before, after }: { before: Revision | undefined; after: Revision }) {
  const marks = { same: ' ', added: '+', removed: '−' } as const;
  return (
    <pre class="difference">
      {lineDifference(promptText(before?.prompt), promptText(after.prompt)).map(({ kind, text }, index) => (
        <span key={index} class={kind}>{`${marks[kind]} ${text}\n`}</span>
      ))}
    </pre>
  );
}

/** Deleted prompts. Each one can be restored at any time. */
export function PromptTrash() {
  const { changes } = useConnection();
  const { client, act } = useActions();
  const { value, error } = useTool('list_deleted_prompts', wholeList, changes.prompts);
  const restore = (name: string, revision: number) =>
    act(async () => {
      await client.tool('restore_prompt', { name, revision });
      return { text: `Restored ${name}.`, undo: () => client.tool('delete_prompt', { name }) };
    });
  return (
    <div class="exchange">
      <h1>Deleted prompts</h1>
      <p class="quiet">Deleted prompts stay in the history. You can restore them at any time.</p>
      {error && <p class="problem">{error.message}</p>}
      {value?.prompts.length === 0 && <p>No deleted prompts.</p>}
      <ul class="plain-list">
        {value?.prompts.map(({ name, title, time, client: by, revision }) => (
          <li key={name} class="marks">
            <strong>{title}</strong>
            {title !== name && <code>{name}</code>}
            <span class="quiet grow" title={new Date(time).toLocaleString()}>
              deleted {shortTime(time)}
              {by.name && ` by ${by.name}`}
            </span>
            <ChangeButton class="small" onClick={() => restore(name, revision)}>
              Restore
            </ChangeButton>
          </li>
        ))}
      </ul>
      <p>
        <a href={pathTo('prompts')}>All prompts</a>
      </p>
    </div>
  );
}
