import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { TokenForm } from './token-form.tsx';

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
                  <ChangeButton type="button" class="small danger" onClick={() => revoke(name)}>
                    Revoke {name}
                  </ChangeButton>
                  <button type="button" class="small" onClick={() => setAsked('')}>
                    Keep
                  </button>
                </span>
              ) : (
                <ChangeButton
                  type="button"
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
