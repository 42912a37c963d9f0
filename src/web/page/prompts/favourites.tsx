import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { folderOf, isFavourite, type Prompt } from '../prompt-editing/prompt.ts';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useConnection } from '../shared/server-connection.tsx';

/** Changes how a prompt is filed. Clients list favourites first. */
export function useFiling({ name }: Pick<Prompt, 'name'>) {
  const { client, act } = useActions();
  return (filing: { readonly favourite?: boolean; readonly folder?: string }) =>
    act(async () => void (await client.tool('organize_prompt', { name, ...filing })));
}

export function FavouriteButton({ prompt }: { prompt: Prompt }) {
  const file = useFiling(prompt);
  const marked = isFavourite(prompt);
  return (
    <ChangeButton
      class={`plain star ${marked ? 'on' : ''}`}
      tool="organize_prompt"
      aria-pressed={marked}
      aria-label="Favourite"
      title={marked ? 'Remove from favourites (f)' : 'Add to favourites (f)'}
      onClick={() => file({ favourite: !marked })}
    >
      <Icon name="star" filled={marked} />
    </ChangeButton>
  );
}

/** The folder of a prompt, which is changed when the field is left. */
export function FolderField({ prompt, folders }: { prompt: Prompt; folders: readonly string[] }) {
  const { readOnly, mayCall } = useConnection();
  const file = useFiling(prompt);
  const saved = folderOf(prompt);
  const [text, setText] = useState(saved);
  useEffect(() => setText(saved), [saved]);
  return (
    <label class="inline">
      Folder
      <input
        list="prompt-folders"
        placeholder="none"
        size={14}
        value={text}
        disabled={readOnly || !mayCall('organize_prompt')}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={() => {
          const folder = text.trim().replaceAll(/^\/+|\/+$/g, '');
          if (folder !== saved) void file({ folder }).then((done) => done || setText(saved));
        }}
      />
      <datalist id="prompt-folders">
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
    </label>
  );
}
