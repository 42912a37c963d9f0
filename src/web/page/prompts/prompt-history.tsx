import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { promptText } from '../prompt-editing/prompt-text.ts';
import { useActions } from '../shared/actions.tsx';
import { authorOf } from '../shared/author.ts';
import { ChangeButton } from '../shared/buttons.tsx';
import { countLines } from '../shared/diff-line.ts';
import { Counts, DiffTable } from '../shared/diff-table.tsx';
import { lineDifference } from '../shared/line-difference.ts';
import { pathTo, useAddressed } from '../shared/route.ts';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

type Revision = ToolAnswer<'prompt_history'>['revisions'][number];

/** The revisions of a prompt. Any two can be compared, and each can be restored. */
export function PromptHistory({ name }: { name: string }) {
  const { changes } = useConnection();
  const { client, act } = useActions();
  const [older, setOlder] = useAddressed<string>('old', '');
  const [newer, setNewer] = useAddressed<string>('new', '');
  const { value, error } = useTool('prompt_history', { name, ...wholeList }, changes.prompts);
  if (error) return <p class="problem">{error.message}</p>;
  const revisions = value?.revisions ?? [];
  const find = (wanted: string) => revisions.find(({ revision }) => String(revision) === wanted);
  const after = find(newer) ?? revisions.at(-1);
  const before = older === 'none' ? undefined : (find(older) ?? revisions.at(-2));
  const restore = (revision: number) =>
    act(async () => {
      await client.tool('restore_prompt', { name, revision });
      const last = revisions.at(-1);
      const undo = client.undoBy('restore_prompt', { name, revision: last!.revision });
      return {
        text: `Restored revision ${revision} of ${name}.`,
        ...(last?.prompt && last.action !== 'outside' && { undo }),
      };
    });
  const choice = (side: 'old' | 'new', { revision }: Revision) => (
    <label class="version-choice">
      <input
        type="radio"
        name={`${side} version`}
        checked={(side === 'old' ? before : after)?.revision === revision}
        onChange={() => (side === 'old' ? setOlder : setNewer)(String(revision))}
      />
      <span class="hidden">
        Revision {revision} as the {side} version
      </span>
    </label>
  );
  return (
    <div class="versions">
      <div>
        <p class="version-heads quiet small" aria-hidden="true">
          <span>old</span> <span>new</span>
        </p>
        <ol class="history">
          {revisions.toReversed().map((one) => (
            <li key={one.revision} class={[before, after].includes(one) ? 'chosen' : ''}>
              {choice('old', one)}
              {choice('new', one)}
              <span class="grow">
                <strong>{one.revision}</strong> <span class="badge">{one.action}</span>{' '}
                <span
                  class="quiet small"
                  title={`${new Date(one.time).toLocaleString()}, ${one.client.name}`}
                >
                  {one.action === 'outside' ? 'another program' : authorOf(one.client.name)},{' '}
                  {shortTime(one.time)}
                </span>
              </span>
              {one.prompt && one !== revisions.at(-1) && (
                <ChangeButton class="small plain" tool="restore_prompt" onClick={() => restore(one.revision)}>
                  Restore <span class="hidden">revision {one.revision}</span>
                </ChangeButton>
              )}
            </li>
          ))}
        </ol>
      </div>
      {after && <Difference before={before} after={after} />}
    </div>
  );
}

function Difference({ before, after }: { before: Revision | undefined; after: Revision }) {
  const lines = lineDifference(promptText(before?.prompt), promptText(after.prompt));
  return (
    <section aria-label="Changes" class="step-card version-difference">
      <div class="row step-head">
        <b>
          {before?.revision ?? 'nothing'} → {after.revision}
        </b>
        <Counts {...countLines(lines)} />
      </div>
      <DiffTable label="Changed lines" rows={lines} />
    </section>
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
      return { text: `Restored ${name}.`, undo: client.undoBy('delete_prompt', { name }) };
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
              {` by ${authorOf(by.name)}`}
            </span>
            <ChangeButton class="small" tool="restore_prompt" onClick={() => restore(name, revision)}>
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
