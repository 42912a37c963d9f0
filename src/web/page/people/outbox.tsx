import { useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

/** Messages that were written to the outbox folder instead of being sent. */
export function Outbox({ updates }: { updates: number }) {
  const { value, error } = useLoaded(
    (client, signal) => client.tool('list_outbox', { limit: 100 }, { signal }),
    [updates],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Loading…</p>;
  return (
    <div class="outbox">
      <p class="quiet">
        {value.count === 0 ? 'No messages yet. ' : ''}Messages on channels without a configured provider are
        written to <code>{value.folder}</code> instead of being sent.
      </p>
      {value.messages.map(({ file, written_at, subject, to, preview }) => (
        <details key={file}>
          <summary>
            {shortTime(written_at)} {subject ?? 'Message'}
            <span class="quiet">
              {' '}
              by {channelOf(file)}
              {to && ` to ${to}`}
            </span>
          </summary>
          {preview && <pre class="template message-text">{preview}</pre>}
          <p class="quiet file">{file}</p>
        </details>
      ))}
      {value.count > value.messages.length && (
        <p class="quiet">{value.count - value.messages.length} older messages are not shown.</p>
      )}
    </div>
  );
}

/** The channel of a message, from the name of its file. */
function channelOf(file: string): string {
  if (file.endsWith('.eml')) return 'email';
  if (file.endsWith('.wav')) return 'phone call (recording)';
  return /\.(\w+)\.json$/.exec(file)?.[1] ?? 'phone call';
}
