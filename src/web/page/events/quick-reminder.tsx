import { TextField } from '../controls/fields.tsx';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { useConnection } from '../shared/server-connection.tsx';

/**
 * Reminds the person who uses the page. The server creates that person if nobody is known yet, with messages on the desktop of
 * its machine, so nothing has to be set up before the first reminder.
 */
export function QuickReminder() {
  const { mayCall } = useConnection();
  const { client, invalidate } = useActions();
  const draft = useDraft('reminder', '', () => ({ text: '', when: '' }));
  if (!mayCall('remind')) return null;
  const remind = async () => {
    const { answer, undo } = await client.undoable('remind', draft.fields);
    invalidate('resources');
    const { event_id, text, when, quiet_hours, warnings = [] } = answer;
    return {
      text: [`Reminder of “${text}” on ${when}.`, quiet_hours, ...warnings].filter(Boolean).join(' '),
      undo: undo ?? (() => client.tool('delete_event', { event_id })),
    };
  };
  return (
    <ActionForm
      class="quick-reminder"
      label="New reminder"
      tool="remind"
      action="Remind me"
      minor
      draft={draft}
      submit={remind}
    >
      <TextField label="Remind me of" required placeholder="call Grace" {...draft.field('text')} />
      <TextField label="When" required placeholder="tomorrow 18:00" {...draft.field('when')} />
    </ActionForm>
  );
}
