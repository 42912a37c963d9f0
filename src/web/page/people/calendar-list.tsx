import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { CheckField, Problem, TextField, useAttempt } from '../controls/fields.tsx';
import { localeOf, type User } from '../events/calendar-data.ts';
import { ChangeButton } from '../shared/buttons.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';

type Calendar = ToolAnswer<'list_calendars'>['calendars'][number];

const kinds: Readonly<Record<Calendar['kind'], string>> = {
  file: 'File',
  folder: 'Folder',
  url: 'Address, read only',
  caldav: 'CalDAV, two-way',
};

/** The calendars of a person with their state, and a form to subscribe to another one. */
export function CalendarList({ user, updates }: { user: User; updates: number }) {
  const [round, setRound] = useState(0);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('list_calendars', { user_id: user.id, ...wholeList }, { signal }),
    [user.id, updates, round],
  );
  const reload = () => setRound((now) => now + 1);
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Loading…</p>;
  return (
    <>
      {value.calendars.length === 0 && (
        <p class="quiet">
          No calendars. Drop a calendar file anywhere on this page to import it, or subscribe to one here.
        </p>
      )}
      <ul class="notifications">
        {value.calendars.map((calendar) => (
          <CalendarItem key={calendar.id} {...{ calendar, user, reload }} />
        ))}
      </ul>
      <SubscribeForm user={user} known={value.calendars} done={reload} />
    </>
  );
}

function CalendarItem({ calendar, user, reload }: { calendar: Calendar; user: User; reload(): void }) {
  const { client } = useConnection();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(false);
  const { id, name, kind, events, last_sync, next_sync, error, problems = [], kept_up_to_date } = calendar;
  const time = (at: string) => shortTime(at, user.timezone ?? 'UTC', localeOf(user));
  const act = async (request: () => Promise<unknown>, text: string) => {
    setBusy(true);
    await request().then(
      () => toast({ text }),
      (failed) => toast({ text: asError(failed).message }),
    );
    setBusy(false);
    setAsked(false);
    reload();
  };
  return (
    <li>
      <div class="marks">
        <strong>{name}</strong>
        <span class={`badge ${error ? 'failed' : 'sent'}`}>
          {error ? 'not synced' : kept_up_to_date ? 'in sync' : 'imported once'}
        </span>
      </div>
      <div class="quiet">
        {kinds[kind]}, {events === 1 ? '1 event' : `${events ?? 0} events`}
        {last_sync && `, last sync ${time(last_sync)}`}
        {next_sync && `, next ${time(next_sync)}`}
      </div>
      {error && <div class="problem">{error}</div>}
      {problems.length > 0 && (
        <details>
          <summary>
            {problems.length} {problems.length === 1 ? 'problem' : 'problems'} in this calendar
          </summary>
          <ul>
            {problems.map(({ message, line }, index) => (
              <li key={index}>
                {line !== undefined && `Line ${line}: `}
                {message}
              </li>
            ))}
          </ul>
        </details>
      )}
      <div class="buttons">
        {kept_up_to_date && (
          <ChangeButton
            class="small"
            disabled={busy}
            onClick={() => act(() => client.tool('sync_calendar', { calendar_id: id }), `Synced “${name}”.`)}
          >
            {busy ? 'Syncing…' : 'Sync now'}
          </ChangeButton>
        )}
        {asked ? (
          <>
            <ChangeButton
              class="small danger"
              disabled={busy}
              onClick={() =>
                act(
                  () => client.tool('remove_calendar', { calendar_id: id }),
                  `Removed “${name}” and its events here.`,
                )
              }
            >
              Remove with {events === 1 ? '1 event' : `${events ?? 0} events`}
            </ChangeButton>
            <button type="button" class="small" onClick={() => setAsked(false)}>
              Keep
            </button>
          </>
        ) : (
          <ChangeButton class="small danger" disabled={busy} onClick={() => setAsked(true)}>
            Remove
          </ChangeButton>
        )}
      </div>
    </li>
  );
}

interface FormProps {
  readonly user: User;
  readonly known: readonly Calendar[];
  done(): void;
}

function SubscribeForm({ user, known, done }: FormProps) {
  const { client } = useConnection();
  const toast = useToast();
  const [source, setSource] = useState('');
  const [account, setAccount] = useState(false);
  const [username, setUsername] = useState('');
  const { busy, problem, attempt } = useAttempt();
  const subscribe = async (submitted: Event) => {
    submitted.preventDefault();
    await attempt(async () => {
      const { calendars } = await client.tool('add_calendar', {
        ...{ user_id: user.id, source },
        ...(account && { kind: 'caldav' as const, ...(username !== '' && { username }) }),
      });
      const before = new Set(known.map(({ id }) => id));
      const fresh = calendars.filter(({ id }) => !before.has(id));
      const undo = async () => {
        for (const { id } of fresh) await client.tool('remove_calendar', { calendar_id: id });
        done();
      };
      toast({
        text: calendars.map(({ name, added = 0 }) => `“${name}”: ${added} events added.`).join('\n'),
        ...(fresh.length > 0 && { undo }),
      });
      setSource('');
      done();
    });
  };
  return (
    <form class="editor" onSubmit={subscribe}>
      <h3>Subscribe</h3>
      <TextField
        label="Address or path"
        required
        spellcheck={false}
        value={source}
        placeholder="https://example.com/calendar.ics"
        hint="An https, webcal or caldavs address, or the path of a file or folder on the server."
        change={setSource}
      />
      <CheckField label="A CalDAV account, which can be changed here" checked={account} change={setAccount} />
      {account && (
        <TextField
          label="User name"
          value={username}
          autocomplete="off"
          hint={
            <>
              The password is read from the file in <code>calendars.passwords_file</code>.
            </>
          }
          change={setUsername}
        />
      )}
      <Problem text={problem} />
      <ChangeButton type="submit" class="primary" disabled={busy}>
        {busy ? 'Reading…' : 'Subscribe'}
      </ChangeButton>
    </form>
  );
}
