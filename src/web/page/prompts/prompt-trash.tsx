import { wholeList } from '../../../paging.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';

/** Deleted prompts. Each one can be restored at any time. */
export default function PromptTrash() {
  const { client, changes } = useConnection();
  const toast = useToast();
  const { value, error } = useLoaded(
    (mcp, signal) => mcp.tool('list_deleted_prompts', wholeList, { signal }),
    [changes.prompts],
  );
  const restore = (name: string, revision: number) =>
    client.tool('restore_prompt', { name, revision }).then(
      () =>
        toast({
          text: `Restored ${name}.`,
          action: { label: 'Undo', run: () => client.tool('delete_prompt', { name }) },
        }),
      (failed) => toast({ text: asError(failed).message }),
    );
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
