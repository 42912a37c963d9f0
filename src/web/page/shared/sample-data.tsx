import { useState } from 'preact/hooks';
import { asError, useConnection } from './server-connection.tsx';
import { useToast } from './toast.tsx';

/** Puts the sample data in, or takes it out again, at a click. */
export function SampleData({ action }: { action: 'load' | 'remove' }) {
  const { client, touch } = useConnection();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await client.tool(`${action}_demo`, {});
      touch('resources');
      toast({
        text:
          action === 'load'
            ? 'The sample data is in: prompts, a calendar and two runs.'
            : 'The sample data is gone.',
      });
    } catch (error) {
      toast({ text: asError(error).message });
    }
    setBusy(false);
  };
  return (
    <button type="button" disabled={busy} onClick={run}>
      {action === 'load' ? 'Load sample data' : 'Remove sample data'}
    </button>
  );
}
