import { pathTo } from '../shared/route.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

/** Deletes the shown revision at once, no other one, and offers to take it back: the history of the prompt has what it was. */
export function DeletePrompt({ name, shown }: { name: string; shown: string | undefined }) {
  const { client } = useConnection();
  const toast = useToast();
  const remove = async () => {
    try {
      const { revisions } = await client.tool('prompt_history', {
        name,
      });
      const revision = revisions.at(-1)!.revision;
      await client.tool('delete_prompt', { name, ...(shown !== undefined && { expected_revision: shown }) });
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
    <button type="button" class="danger small" onClick={remove}>
      Delete
    </button>
  );
}
