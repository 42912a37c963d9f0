import { useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { Problem, SelectField, TextArea, TextField, useAttempt } from '../controls/fields.tsx';
import { type Channel, loadChannels, localeOf, type User } from '../events/calendar-data.ts';
import { ClockSelect } from '../events/time-fields.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { LeadFields, leadsOf, writtenLeads } from './lead-fields.tsx';
import { ZoneInput } from './person-form.tsx';
import { RuleList } from './rule-list.tsx';

const languages = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;

/** How and when a person is notified: addresses, quiet hours, lead times and rules, with a test message. */
export function PersonSettings({ user, updates }: { user: User; updates: number }) {
  const { channel_pref = 'email', weekend_policy = channel_pref } = user;
  const { value, error } = useLoaded(
    (client, signal) => loadChannels(client, async () => [channel_pref, weekend_policy], signal),
    [user.id],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Loading…</p>;
  return <SettingsForm user={user} updates={updates} known={value} />;
}

interface Props {
  readonly user: User;
  readonly updates: number;
  readonly known: readonly Channel[];
}

function SettingsForm({ user, updates, known }: Props) {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const { problem, attempt } = useAttempt();
  const [asked, setAsked] = useState(false);
  const [fields, setFields] = useState(() => fieldsOf(user));
  // Secrets in addresses are masked, so the list is sent only if it was edited.
  const [channels, setChannels] = useState(() => (user.channels ?? []).join('\n'));
  const [leads, setLeads] = useState(() => leadsOf(user));
  const listed = known.filter(({ field }) => field === undefined);
  const set = (name: keyof typeof fields, value: string) => setFields({ ...fields, [name]: value });
  const save = async (submitted: Event) => {
    submitted.preventDefault();
    const changedChannels = channels !== (user.channels ?? []).join('\n');
    const list = channels.split('\n').filter((line) => line.trim() !== '');
    await attempt(async () => {
      const { unset, ...given } = writtenFields(fields);
      const { undo } = await client.undoable('update_user', {
        ...{ ...given, user_id: user.id, reminders: writtenLeads(leads) },
        ...(changedChannels && list.length > 0 && { channels: list }),
        unset: [...unset, ...(changedChannels && list.length === 0 ? ['channels'] : [])] as never[],
      });
      const restore = async () => {
        const text = await undo!();
        setFields(fieldsOf(user));
        setChannels((user.channels ?? []).join('\n'));
        setLeads(leadsOf(user));
        return text;
      };
      toast({
        text: `Saved. Planned reminders of ${fields.name} follow these settings.`,
        ...(undo && { undo: restore }),
      });
      invalidate('resources');
    });
  };
  const remove = () =>
    client.tool('delete_user', { user_id: user.id }).then(
      () => {
        location.hash = '#/calendar';
        invalidate('resources');
      },
      (failed) => toast({ text: asError(failed).message }),
    );
  return (
    <>
      <form class="editor" onSubmit={save}>
        <TextField label="Name" required value={fields.name} change={(value) => set('name', value)} />
        <ZoneInput value={fields.timezone} change={(zone) => set('timezone', zone)} />
        <SelectField
          label="Language of messages"
          value={fields.locale}
          options={{ [fields.locale]: fields.locale, ...languages }}
          change={(value) => set('locale', value)}
        />
        <fieldset>
          <legend>Where messages go</legend>
          <SelectField
            label="Preferred channel"
            value={fields.channel_pref}
            options={preferencesOf(known)}
            change={(value) => set('channel_pref', value)}
          />
          <SelectField
            label="At weekends"
            value={fields.weekend_policy}
            options={{ '': 'The same, without calls', none: 'Nothing', ...preferencesOf(known) }}
            change={(value) => set('weekend_policy', value)}
          />
          {known.map(
            (channel) =>
              channel.field && (
                <TextField
                  key={channel.name}
                  label={fieldLabel(channel)}
                  type={channel.field.input}
                  placeholder={channel.field.placeholder}
                  hint={channel.help}
                  value={fields[channel.field.name]}
                  change={(value) => set(channel.field!.name, value)}
                />
              ),
          )}
          <TextArea
            label="More addresses, one per line"
            rows={2}
            spellcheck={false}
            value={channels}
            placeholder={listed[0]?.sample ?? ''}
            hint={listed.map(({ name, example, help }) => (
              <span key={name}>
                {example}: {help}{' '}
              </span>
            ))}
            change={setChannels}
          />
        </fieldset>
        <fieldset>
          <legend>Quiet hours</legend>
          <div class="time-row">
            {(['quiet_start', 'quiet_end'] as const).map((name) => (
              <ClockSelect
                key={name}
                label={name === 'quiet_start' ? 'From' : 'Until'}
                minutes={minutesOf(fields[name])}
                locale={fields.locale}
                change={(minutes) => set(name, clockText(minutes))}
              />
            ))}
          </div>
          <small>Nothing is sent in these hours. With two equal times, messages are sent at any hour.</small>
        </fieldset>
        <fieldset>
          <legend>When to remind</legend>
          <small>
            E.g. 10m, 2h or 1d 17:00, several with commas. Empty: the built-in times. “none”: no reminder.
          </small>
          <LeadFields leads={leads} change={setLeads} />
        </fieldset>
        <Problem text={problem} />
        <ChangeButton type="submit" class="primary">
          Save
        </ChangeButton>
      </form>
      <TestMessage user={user} channels={known} />
      <RuleList user={user} updates={updates} />
      <p class="buttons">
        {asked && (
          <button type="button" onClick={() => setAsked(false)}>
            Keep {user.name}
          </button>
        )}
        <ChangeButton class="danger" onClick={asked ? remove : () => setAsked(true)}>
          {asked ? `Delete ${user.name} with all events` : 'Delete person'}
        </ChangeButton>
      </p>
    </>
  );
}

function fieldsOf(user: User) {
  return {
    name: user.name,
    ...{ email: user.email ?? '', phone_e164: user.phone_e164 ?? '' },
    ...{ ntfy_topic: user.ntfy_topic ?? '', webhook_url: user.webhook_url ?? '' },
    timezone: user.timezone ?? 'UTC',
    locale: localeOf(user),
    channel_pref: user.channel_pref ?? 'email',
    weekend_policy: user.weekend_policy ?? '',
    quiet_start: user.quiet_start ?? '21:00',
    quiet_end: user.quiet_end ?? '07:00',
  };
}

/** The filled fields as arguments, and the names of the empty ones. */
function writtenFields(fields: ReturnType<typeof fieldsOf>) {
  const optional = ['email', 'phone_e164', 'ntfy_topic', 'webhook_url', 'weekend_policy'] as const;
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  return {
    ...(Object.fromEntries(given) as Partial<ToolArguments<'update_user'>>),
    unset: optional.filter((name) => fields[name] === '') as never[],
  };
}

function preferencesOf(known: readonly Channel[]): Readonly<Record<string, string>> {
  const both = ['both', 'Email and phone call'] as const;
  return Object.fromEntries(
    known.flatMap(({ name, label }) => (name === 'call' ? [[name, label], both] : [[name, label]])),
  );
}

/** What the address is called, with a capital letter unless it begins with the name of a product. */
function fieldLabel({ label, address }: Channel): string {
  return address.startsWith(label) ? address : `${address[0]!.toUpperCase()}${address.slice(1)}`;
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
}

function clockText(minutes: number): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Sends a test message and shows what became of it. */
function TestMessage({ user, channels }: { user: User; channels: readonly Channel[] }) {
  const { client } = useConnection();
  const [channel, setChannel] = useState('');
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<ToolAnswer<'test_notification'> | string | undefined>();
  const send = async () => {
    setBusy(true);
    await client
      .tool('test_notification', { user_id: user.id, ...(channel !== '' && { channel }) })
      .then(setResult, (failed) => setResult(asError(failed).message));
    setBusy(false);
  };
  return (
    <fieldset>
      <legend>Test message</legend>
      <p class="buttons">
        <select
          aria-label="Channel to test"
          value={channel}
          onChange={({ currentTarget }) => setChannel(currentTarget.value)}
        >
          <option value="">Preferred channel</option>
          {channels.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <ChangeButton disabled={busy} onClick={send}>
          {busy ? 'Sending…' : 'Send test message'}
        </ChangeButton>
      </p>
      <div role="status">
        {typeof result === 'string' && <p class="problem">{result}</p>}
        {typeof result === 'object' && (
          <p>
            <span class={`badge ${result.delivered ? 'sent' : 'warning'}`}>
              {result.delivered ? 'sent' : result.outcome}
            </span>{' '}
            {result.channel} to {result.to}: {result.detail} {result.advice}
          </p>
        )}
      </div>
    </fieldset>
  );
}
