import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { Problem } from '../controls/problem.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { CopyButton } from '../shared/copy-button.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';

const scopeTitles: Readonly<Record<string, string>> = {
  read: 'Read and use prompts',
  'prompts:write': 'Change prompts',
  'calendar:*': 'All calendars',
  'delegate:read-only': 'Start sub-agents that cannot write',
  'delegate:workspace-write': 'Start sub-agents that write in their folder',
  admin: 'Everything, like you',
};

const durations = { '': 'Never', 7: 'In 7 days', 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year' };

/** Creates a token. Its secret is shown once, and is only in the memory of this form until then. */
export function TokenForm({ created }: { created(): void }) {
  const { client } = useConnection();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState('');
  const [problem, setProblem] = useState('');
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
    setProblem(scopes.length === 0 ? 'Choose at least one thing that the token may do.' : '');
    if (scopes.length === 0) return;
    try {
      const request = { name, scopes: [...scopes], ...(days !== '' && { days: Number(days) }) };
      const { token } = await client.tool('create_token', request);
      setSecret(token);
      setName('');
      setScopes([]);
      setOpen(false);
      created();
    } catch (failed) {
      setProblem(asError(failed).message);
    }
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
        <ChangeButton type="button" onClick={() => setOpen(true)}>
          New token
        </ChangeButton>
      </p>
    );
  return (
    <form class="editor" onSubmit={create} aria-label="New token">
      <h3>New token</h3>
      <label>
        Name
        <input
          required
          pattern="[a-z0-9][a-z0-9\-]*"
          maxLength={40}
          spellcheck={false}
          autocomplete="off"
          value={name}
          placeholder="laptop"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <small>Small letters, digits and hyphens.</small>
      </label>
      <fieldset>
        <legend>What it may do</legend>
        {Object.entries(choices).map(([scope, title]) => (
          <label key={scope} class="inline">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget }) =>
                setScopes(currentTarget.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
            />
            {title} <code>{scope}</code>
          </label>
        ))}
      </fieldset>
      <label>
        Expires
        <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
          {Object.entries(durations).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
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
