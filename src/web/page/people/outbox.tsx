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
            {shortTime(written_at)} {subject ?? kindOf(file)}
            {to && <span class="quiet"> to {to}</span>}
          </summary>
          {preview && <pre class="template">{preview}</pre>}
          <p class="quiet file">{file}</p>
        </details>
      ))}
      {value.count > value.messages.length && (
        <p class="quiet">{value.count - value.messages.length} older messages are not shown.</p>
      )}
    </div>
  );
}

/** A title for a message without a subject. */
function kindOf(file: string): string {
  if (file.endsWith('.wav')) return 'Phone call (recording)';
  return file.endsWith('.txt') ? 'Phone call' : 'Message';
}
