import { useState } from 'preact/hooks';
import { useLoaded } from './server-connection.tsx';

interface OutboxList {
  readonly folder: string;
  readonly count: number;
  readonly messages: readonly {
    readonly file: string;
    readonly written_at: string;
    readonly preview?: string;
  }[];
}

/** What went into the outbox folder instead of to somebody. */
export function Outbox() {
  const [open, setOpen] = useState(false);
  const { value, error } = useLoaded<OutboxList | undefined>(
    (client, signal) => (open ? client.tool('listOutbox', {}, { signal }) : Promise.resolve(undefined)),
    [open],
  );
  return (
    <>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        Outbox
      </button>
      {open && (
        <section class="plan" aria-label="Outbox">
          {error && <p class="problem">{error.message}</p>}
          {value && (
            <p class="quiet">
              {value.count} in <code>{value.folder}</code>
            </p>
          )}
          {value?.messages.map(({ file, written_at, preview }) => (
            <details key={file}>
              <summary>
                {new Date(written_at).toLocaleString()} <code>{file}</code>
              </summary>
              {preview && <pre class="template">{preview}</pre>}
            </details>
          ))}
        </section>
      )}
    </>
  );
}
