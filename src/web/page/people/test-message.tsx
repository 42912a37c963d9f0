import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import type { Channel, User } from '../events/calendar-data.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';

/** Sends a test message and shows what became of it. */
export function TestMessage({ user, channels }: { user: User; channels: readonly Channel[] }) {
  const { client } = useConnection();
  const [channel, setChannel] = useState('');
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<ToolAnswer<'test_notification'> | string | undefined>();
  const send = async () => {
    setBusy(true);
    await client
      .tool('test_notification', { user_id: user.id, ...(channel !== '' && { channel }) })
      .then(setResult, (failed) => setResult(asError(failed).message));
    setBusy(false);
  };
  return (
    <fieldset>
      <legend>Test message</legend>
      <p class="buttons">
        <select
          aria-label="Channel to test"
          value={channel}
          onChange={({ currentTarget }) => setChannel(currentTarget.value)}
        >
          <option value="">Preferred channel</option>
          {channels.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <ChangeButton type="button" disabled={busy} onClick={send}>
          {busy ? 'Sending…' : 'Send test message'}
        </ChangeButton>
      </p>
      <div role="status">
        {typeof result === 'string' && <p class="problem">{result}</p>}
        {typeof result === 'object' && (
          <p>
            <span class={`badge ${result.delivered ? 'sent' : 'warning'}`}>
              {result.delivered ? 'sent' : result.outcome}
            </span>{' '}
            {result.channel} to {result.to}: {result.detail} {result.advice}
          </p>
        )}
      </div>
    </fieldset>
  );
}
