import { useState } from 'preact/hooks';
import { ChangeButton } from './buttons.tsx';
import { asError, useConnection } from './server-connection.tsx';
import { useToast } from './toast.tsx';

/** A button that loads or removes the sample data. */
export function SampleData({ action }: { action: 'load' | 'remove' }) {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await client.tool(`${action}_demo`, {});
      invalidate('resources');
      const undo = () => client.tool(action === 'load' ? 'remove_demo' : 'load_demo', {});
      toast({
        undo,
        text:
          action === 'load'
            ? 'Sample data loaded: prompts, a calendar and two runs.'
            : 'Sample data removed.',
      });
    } catch (error) {
      toast({ text: asError(error).message });
    }
    setBusy(false);
  };
  return (
    <ChangeButton disabled={busy} onClick={run}>
      {action === 'load' ? 'Load sample data' : 'Remove sample data'}
    </ChangeButton>
  );
}
