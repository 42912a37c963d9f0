import { useLoaded } from '../shared/server-connection.tsx';
import { shortMoment } from '../shared/zone-time.ts';

/** What went into the outbox folder instead of to somebody. */
export function Outbox({ updates }: { updates: number }) {
  const { value, error } = useLoaded(
    (client, signal) => client.tool('listOutbox', { limit: 100 }, { signal }),
    [updates],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Asking the server…</p>;
  return (
    <div class="outbox">
      <p class="quiet">
        {value.count === 0 ? 'Nothing yet. ' : ''}What no provider is set up for is written to{' '}
        <code>{value.folder}</code> instead of being sent.
      </p>
      {value.messages.map(({ file, written_at, preview }) => (
        <details key={file}>
          <summary>
            {shortMoment(written_at)} <code>{file}</code>
          </summary>
          {preview && <pre class="template">{preview}</pre>}
        </details>
      ))}
      {value.count > value.messages.length && (
        <p class="quiet">{value.count - value.messages.length} older ones are not listed.</p>
      )}
    </div>
  );
}
