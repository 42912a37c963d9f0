import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Button, CheckField, SelectField, TextField } from '../controls/fields.tsx';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { ChangeButton, ConfirmButton, CopyButton } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { useAddressed } from '../shared/route.ts';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

interface Props {
  readonly tokens: NonNullable<ToolAnswer<'server_status'>['tokens']>;
  reload(): void;
}

/** The tokens of other people and programs, with a form for another one. */
export function Tokens({ tokens, reload }: Props) {
  const { client, act } = useActions();
  const revoke = (name: string) =>
    act(async () => {
      await client.tool('revoke_token', { name });
      reload();
      return { text: `Revoked “${name}”. Its connections end now.` };
    });
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
            cell: ({ name }) => (
              <span class="buttons">
                <ConfirmButton
                  class="small danger"
                  tool="revoke_token"
                  aria-label={`Revoke ${name}…`}
                  question={`Revoke ${name}`}
                  confirm={() => revoke(name)}
                >
                  Revoke…
                </ConfirmButton>
              </span>
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
  approvals: 'Answer requests of agents, as an approver',
  routines: 'Create and run routines',
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
  const [shown, setShown] = useAddressed<string>('new', '');
  const open = shown === 'token';
  const setOpen = (next: boolean) => setShown(next ? 'token' : '');
  const draft = useDraft('token', '', () => ({ name: '', days: '', scopes: [] as readonly string[] }));
  const { fields, set, field } = draft;
  const { name, days, scopes } = fields;
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
  const create = async () => {
    if (scopes.length === 0) throw new Error('Choose at least one thing that the token may do.');
    const request = { name, scopes: [...scopes], ...(days !== '' && { days: Number(days) }) };
    const { token } = await client.tool('create_token', request);
    setSecret(token);
    setOpen(false);
    created();
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
          <Button onClick={() => setSecret('')}>Done</Button>
        </p>
      </section>
    );
  if (!open)
    return (
      <p class="buttons">
        <ChangeButton tool="create_token" onClick={() => setOpen(true)}>
          New token
        </ChangeButton>
      </p>
    );
  return (
    <ActionForm
      label="New token"
      tool="create_token"
      action="Create token"
      draft={draft}
      submit={create}
      cancel={() => setOpen(false)}
    >
      <h3>New token</h3>
      <TextField
        label="Name"
        required
        pattern="[a-z0-9][a-z0-9\-]*"
        maxLength={40}
        spellcheck={false}
        autocomplete="off"
        placeholder="laptop"
        hint="Small letters, digits and hyphens."
        {...field('name')}
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
              set({ scopes: checked ? [...scopes, scope] : scopes.filter((one) => one !== scope) })
            }
          />
        ))}
      </fieldset>
      <SelectField label="Expires" options={durations} {...field('days')} />
    </ActionForm>
  );
}
