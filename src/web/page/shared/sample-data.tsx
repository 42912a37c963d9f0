import { useActions } from './actions.tsx';
import { ChangeButton } from './buttons.tsx';

/** A button that loads or removes the sample data. */
export function SampleData({ action }: { action: 'load' | 'remove' }) {
  const { client, invalidate, busy, act } = useActions();
  const loads = action === 'load';
  const run = () =>
    act(async () => {
      await client.tool(`${action}_demo`, {});
      invalidate('resources');
      return {
        text: loads ? 'Sample data loaded: prompts, a calendar and two runs.' : 'Sample data removed.',
        undo: client.undoBy(loads ? 'remove_demo' : 'load_demo', {}),
      };
    });
  return (
    <ChangeButton tool={`${action}_demo`} disabled={busy} onClick={run}>
      {loads ? 'Load sample data' : 'Remove sample data'}
    </ChangeButton>
  );
}
