import { wholeList } from '../../../paging.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

/** Deletes the prompt only if it still has the shown revision. Undo restores it from the history. */
export function DeletePrompt({ name, shownRevision }: { name: string; shownRevision: string | undefined }) {
  const { client } = useConnection();
  const toast = useToast();
  const remove = async () => {
    try {
      const { revisions } = await client.tool('prompt_history', {
        name,
        ...wholeList,
      });
      const revision = revisions.at(-1)!.revision;
      await client.tool('delete_prompt', {
        name,
        ...(shownRevision !== undefined && { expected_revision: shownRevision }),
      });
      location.hash = pathTo('prompts');
      toast({
        text: `Deleted ${name}.`,
        action: {
          label: 'Undo',
          run: async () => {
            await client.tool('restore_prompt', { name, revision });
            location.hash = pathTo('prompts', name);
          },
        },
      });
    } catch (error) {
      toast({ text: asError(error).message });
    }
  };
  return (
    <ChangeButton type="button" class="danger small" onClick={remove}>
      Delete
    </ChangeButton>
  );
}
