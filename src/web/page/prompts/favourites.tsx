import { useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';
import { folderOf, isFavourite, type Prompt } from '../prompt-editing/prompt.ts';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
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

interface FolderFieldProps {
  readonly prompt: Prompt;
  readonly folders: readonly string[];
}

/** The folder of a prompt, which is changed when the field is left. */
export function FolderField(props: FolderFieldProps) {
  return <FolderInput key={`${props.prompt.name} ${folderOf(props.prompt)}`} {...props} />;
}

function FolderInput({ prompt, folders }: FolderFieldProps) {
  const { readOnly, mayCall } = useConnection();
  const file = useFiling(prompt);
  const saved = folderOf(prompt);
  const draft = useDraft('folder', prompt.name, () => ({ folder: saved }));
  const [typing, setTyping] = useState(false);
  const { value, change } = draft.field('folder');
  const save = () => {
    setTyping(false);
    const folder = value.trim().replaceAll(/^\/+|\/+$/g, '');
    if (folder === saved) change(saved);
    else void file({ folder }).then((done) => done || change(saved));
  };
  return (
    <>
      <label class="inline" data-form={draft.form}>
        Folder
        <input
          list="prompt-folders"
          placeholder="none"
          size={14}
          value={value}
          disabled={readOnly || !mayCall('organize_prompt')}
          onFocus={() => setTyping(true)}
          onInput={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
          onBlur={save}
        />
        <datalist id="prompt-folders">
          {folders.map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
      </label>
      {/* A click on Discard would leave the field, and so save it. */}
      {!typing && <DraftMark draft={draft} />}
    </>
  );
}
