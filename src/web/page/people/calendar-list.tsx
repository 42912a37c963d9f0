import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { CheckField, TextField } from '../controls/fields.tsx';
import { counted } from '../controls/words.ts';
import { localeOf, type User } from '../events/calendar-data.ts';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { ChangeButton, ConfirmButton } from '../shared/buttons.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { Pending, useConnection, useTool } from '../shared/server-connection.tsx';
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
  const calendars = { user_id: user.id, ...wholeList };
  const { value, error } = useTool('list_calendars', calendars, updates, round);
  const reload = () => setRound((now) => now + 1);
  if (!value || error) return <Pending error={error} />;
  return (
    <>
      {value.calendars.length === 0 && (
        <p class="quiet">
          No calendars. Drop a calendar file anywhere on this page to import it, or subscribe to one here.
        </p>
      )}
      <ul class="plain-list">
        {value.calendars.map((calendar) => (
          <CalendarItem key={calendar.id} {...{ calendar, user, reload }} />
        ))}
      </ul>
      <SubscribeForm user={user} known={value.calendars} done={reload} />
    </>
  );
}

function CalendarItem({ calendar, user, reload }: { calendar: Calendar; user: User; reload(): void }) {
  const { client, busy, act } = useActions();
  const {
    id,
    name,
    kind,
    events = 0,
    last_sync,
    next_sync,
    error,
    problems = [],
    kept_up_to_date,
  } = calendar;
  const time = (at: string) => shortTime(at, user.timezone ?? 'UTC', localeOf(user));
  const change = async (tool: 'sync_calendar' | 'remove_calendar', text: string) => {
    await act(async () => {
      await client.tool(tool, { calendar_id: id });
      return { text };
    });
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
        {kinds[kind]}, {counted(events, 'event')}
        {last_sync && `, last sync ${time(last_sync)}`}
        {next_sync && `, next ${time(next_sync)}`}
      </div>
      {error && <div class="problem">{error}</div>}
      {problems.length > 0 && (
        <details>
          <summary>{counted(problems.length, 'problem')} in this calendar</summary>
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
            tool="sync_calendar"
            disabled={busy}
            onClick={() => change('sync_calendar', `Synced “${name}”.`)}
          >
            {busy ? 'Syncing…' : 'Sync now'}
          </ChangeButton>
        )}
        <ConfirmButton
          class="small danger"
          tool="remove_calendar"
          disabled={busy}
          question={`Remove with ${counted(events, 'event')}`}
          confirm={() => change('remove_calendar', `Removed “${name}” and its events here.`)}
        >
          Remove
        </ConfirmButton>
      </div>
    </li>
  );
}

function SubscribeForm({ user, known, done }: { user: User; known: readonly Calendar[]; done(): void }) {
  const { client } = useConnection();
  const draft = useDraft('calendar', user.id, () => ({ source: '', username: '', account: false }));
  const { fields, set, field } = draft;
  const subscribe = async () => {
    const { source, username, account } = fields;
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
    done();
    return {
      text: calendars.map(({ name, added = 0 }) => `“${name}”: ${added} events added.`).join('\n'),
      ...(fresh.length > 0 && { undo }),
    };
  };
  return (
    <ActionForm tool="add_calendar" action="Subscribe" doing="Reading…" draft={draft} submit={subscribe}>
      <h3>Subscribe</h3>
      <TextField
        label="Address or path"
        required
        spellcheck={false}
        placeholder="https://example.com/calendar.ics"
        hint="An https, webcal or caldavs address, or the path of a file or folder on the server."
        {...field('source')}
      />
      <CheckField
        label="A CalDAV account, which can be changed here"
        checked={fields.account}
        change={(account) => set({ account })}
      />
      {fields.account && (
        <TextField
          label="User name"
          autocomplete="off"
          hint={
            <>
              The password is read from the file in <code>calendars.passwords_file</code>.
            </>
          }
          {...field('username')}
        />
      )}
    </ActionForm>
  );
}
