import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { CheckField, Problem, SelectField, TextField, useAttempt } from '../controls/fields.tsx';
import { ChangeButton, CopyButton } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';

interface Props {
  readonly tokens: NonNullable<ToolAnswer<'server_status'>['tokens']>;
  reload(): void;
}

/** The tokens of other people and programs, with a form for another one. */
export function Tokens({ tokens, reload }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const [asked, setAsked] = useState('');
  const revoke = (name: string) =>
    client.tool('revoke_token', { name }).then(
      () => {
        toast({ text: `Revoked “${name}”. Its connections end now.` });
        reload();
      },
      (failed) => toast({ text: asError(failed).message }),
    );
  const isOver = (expires: string | undefined) => expires !== undefined && Date.parse(expires) <= Date.now();
  return (
    <>
      <DataTable
        title="Tokens"
        rows={tokens}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          { title: 'Created', cell: ({ created_at }) => shortTime(created_at) },
          {
            title: 'Expires',
            cell: ({ expires_at }) => (
              <span class={isOver(expires_at) ? 'problem' : ''}>
                {expires_at === undefined ? 'never' : shortTime(expires_at)}
              </span>
            ),
          },
          {
            title: 'Access',
            cell: ({ name }) =>
              asked === name ? (
                <span class="buttons">
                  <ChangeButton class="small danger" onClick={() => revoke(name)}>
                    Revoke {name}
                  </ChangeButton>
                  <button type="button" class="small" onClick={() => setAsked('')}>
                    Keep
                  </button>
                </span>
              ) : (
                <ChangeButton
                  class="small danger"
                  aria-label={`Revoke ${name}…`}
                  onClick={() => setAsked(name)}
                >
                  Revoke…
                </ChangeButton>
              ),
          },
        ]}
      />
      <p class="quiet hint">
        A <dfn>token</dfn> gives another person or program access to this server, and its <dfn>scopes</dfn>{' '}
        limit what it can do. A token cannot be shown again, but you can revoke it and create another one.
      </p>
      <TokenForm created={reload} />
    </>
  );
}

const scopeTitles: Readonly<Record<string, string>> = {
  read: 'Read and use prompts',
  'prompts:write': 'Change prompts',
  'calendar:*': 'All calendars',
  'delegate:read-only': 'Start sub-agents that cannot write',
  'delegate:workspace-write': 'Start sub-agents that write in their folder',
  admin: 'Everything, like you',
};

const durations: Readonly<Record<string, string>> = {
  '': 'Never',
  7: 'In 7 days',
  30: 'In 30 days',
  90: 'In 90 days',
  365: 'In a year',
};

/** Creates a token. Its secret is shown once, and is only in the memory of this form until then. */
function TokenForm({ created }: { created(): void }) {
  const { client } = useConnection();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState('');
  const { problem, attempt } = useAttempt();
  const [secret, setSecret] = useState('');
  const { value: people } = useLoaded(
    (mcp, signal) => mcp.tool('list_users', wholeList, { signal }).catch(() => undefined),
    [],
  );
  const choices = {
    ...scopeTitles,
    ...Object.fromEntries(
      (people?.users ?? []).map((user) => [`calendar:${user.id}`, `Calendar of ${user.name}`]),
    ),
  };
  const create = async (submitted: Event) => {
    submitted.preventDefault();
    await attempt(async () => {
      if (scopes.length === 0) throw new Error('Choose at least one thing that the token may do.');
      const request = { name, scopes: [...scopes], ...(days !== '' && { days: Number(days) }) };
      const { token } = await client.tool('create_token', request);
      setSecret(token);
      setName('');
      setScopes([]);
      setOpen(false);
      created();
    });
  };
  if (secret !== '')
    return (
      <section class="box" aria-label="New token">
        <p>
          <strong>Copy the token now.</strong> It is not stored and cannot be shown again. Whoever has it can
          use it.
        </p>
        <p>
          <code class="secret">{secret}</code> <CopyButton text={secret} />
        </p>
        <p class="buttons">
          <button type="button" onClick={() => setSecret('')}>
            Done
          </button>
        </p>
      </section>
    );
  if (!open)
    return (
      <p class="buttons">
        <ChangeButton onClick={() => setOpen(true)}>New token</ChangeButton>
      </p>
    );
  return (
    <form class="editor" onSubmit={create} aria-label="New token">
      <h3>New token</h3>
      <TextField
        label="Name"
        required
        pattern="[a-z0-9][a-z0-9\-]*"
        maxLength={40}
        spellcheck={false}
        autocomplete="off"
        value={name}
        placeholder="laptop"
        hint="Small letters, digits and hyphens."
        change={setName}
      />
      <fieldset>
        <legend>What it may do</legend>
        {Object.entries(choices).map(([scope, title]) => (
          <CheckField
            key={scope}
            label={
              <>
                {title} <code>{scope}</code>
              </>
            }
            checked={scopes.includes(scope)}
            change={(checked) =>
              setScopes(checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
            }
          />
        ))}
      </fieldset>
      <SelectField label="Expires" value={days} options={durations} change={setDays} />
      <Problem text={problem} />
      <p class="buttons">
        <ChangeButton type="submit" class="primary">
          Create token
        </ChangeButton>
        <button type="button" onClick={() => setOpen(false)}>
          Cancel
        </button>
      </p>
    </form>
  );
}
