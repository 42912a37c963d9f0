import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { Button } from '../controls/fields.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton, CopyButton } from '../shared/buttons.tsx';
import { Pending, useTool } from '../shared/server-connection.tsx';

type Found = ToolAnswer<'find_clients'>['clients'][number];

/** The clients of the machine of the server, each with a button that connects it. */
export function ConnectClients({ connected }: { connected(): void }) {
  const { value, error } = useTool('find_clients', {});
  if (error !== undefined) return <Pending error={error} />;
  if (value === undefined) return <p class="quiet">Looking for clients…</p>;
  if (value.clients.length === 0)
    return (
      <p>
        No client was found on the machine of the server. Install one, such as Claude Code or Codex, and open
        this page again.
      </p>
    );
  return (
    <ul class="problems" aria-label="Clients found">
      {value.clients.map((client) => (
        <ClientRow key={client.id} client={client} connected={connected} />
      ))}
    </ul>
  );
}

function ClientRow({
  client: { id, title, command, ...client },
  connected,
}: {
  client: Found;
  connected(): void;
}) {
  const { client: server, busy, problem, attempt } = useActions();
  const [change, setChange] = useState<ToolAnswer<'connect_client'>>();
  const [isConnected, setConnected] = useState(client.connected);
  const show = () =>
    attempt(async () => setChange(await server.tool('connect_client', { client: id, dry_run: true })));
  const connect = () =>
    attempt(async () => {
      await server.tool('connect_client', { client: id });
      setConnected(true);
      setChange(undefined);
      connected();
      return { text: `${title} is connected. Restart it if it is running.` };
    });
  return (
    <li>
      <strong>{title}</strong>{' '}
      {isConnected ? (
        <span class="badge completed">Connected</span>
      ) : change === undefined ? (
        <ChangeButton
          class="small"
          tool="connect_client"
          disabled={busy}
          onClick={show}
          aria-label={`Connect ${title}`}
        >
          Connect
        </ChangeButton>
      ) : (
        <div>
          <p>
            This changes <code>{change.file}</code>:
          </p>
          <pre class="code" role="region" aria-label={`Change for ${title}`} tabIndex={0}>
            {change.difference}
          </pre>
          <ChangeButton class="small" tool="connect_client" disabled={busy} onClick={connect}>
            Make this change
          </ChangeButton>{' '}
          <Button class="small" onClick={() => setChange(undefined)}>
            Cancel
          </Button>
        </div>
      )}
      {problem && (
        <>
          <p class="problem" role="alert">
            {problem}
          </p>
          <CommandLine text={command} />
        </>
      )}
    </li>
  );
}

function CommandLine({ text }: { text: string }) {
  return (
    <p class="row copy-line">
      <code>{text}</code> <CopyButton text={text} />
    </p>
  );
}
