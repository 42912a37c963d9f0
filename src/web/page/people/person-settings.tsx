import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { Problem } from '../controls/problem.tsx';
import { type Channel, localeOf, type User } from '../events/calendar-data.ts';
import { TextField } from '../events/text-field.tsx';
import { ClockSelect } from '../events/time-fields.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { LeadFields } from './lead-fields.tsx';
import { leadsOf, writtenLeads } from './lead-times.ts';
import { RuleList } from './rule-list.tsx';
import { TestMessage } from './test-message.tsx';
import { ZoneInput } from './zone-input.tsx';

const languages = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;

/** How and when a person is notified: addresses, quiet hours, lead times and rules, with a test message. */
export function PersonSettings({ user, updates }: { user: User; updates: number }) {
  const { value, error } = useLoaded((client, signal) => client.tool('list_channels', {}, { signal }), []);
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Loading…</p>;
  return <SettingsForm user={user} updates={updates} known={value.channels} />;
}

interface Props {
  readonly user: User;
  readonly updates: number;
  readonly known: readonly Channel[];
}

function SettingsForm({ user, updates, known }: Props) {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const [problem, setProblem] = useState('');
  const [asked, setAsked] = useState(false);
  const [fields, setFields] = useState(() => fieldsOf(user));
  // Secrets in addresses are masked, so the list is sent only if it was edited.
  const [channels, setChannels] = useState(() => (user.channels ?? []).join('\n'));
  const [leads, setLeads] = useState(() => leadsOf(user));
  const listed = known.filter(({ field }) => field === undefined);
  const set = (name: keyof typeof fields, value: string) => setFields({ ...fields, [name]: value });
  const save = async (submitted: Event) => {
    submitted.preventDefault();
    setProblem('');
    const changedChannels = channels !== (user.channels ?? []).join('\n');
    const list = channels.split('\n').filter((line) => line.trim() !== '');
    try {
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
        invalidate('resources');
        return text;
      };
      toast({
        text: `Saved. Planned reminders of ${fields.name} follow these settings.`,
        ...(undo && { action: { label: 'Undo', run: restore } }),
      });
      invalidate('resources');
    } catch (failed) {
      setProblem(asError(failed).message);
    }
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
        <label>
          Language of messages
          <select value={fields.locale} onChange={({ currentTarget }) => set('locale', currentTarget.value)}>
            {Object.entries({ [fields.locale]: fields.locale, ...languages }).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend>Where messages go</legend>
          <label>
            Preferred channel
            <select
              value={fields.channel_pref}
              onChange={({ currentTarget }) => set('channel_pref', currentTarget.value)}
            >
              {options(preferencesOf(known))}
            </select>
          </label>
          <label>
            At weekends
            <select
              value={fields.weekend_policy}
              onChange={({ currentTarget }) => set('weekend_policy', currentTarget.value)}
            >
              {options({ '': 'The same, without calls', none: 'Nothing', ...preferencesOf(known) })}
            </select>
          </label>
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
          <label>
            More addresses, one per line
            <textarea
              rows={2}
              spellcheck={false}
              value={channels}
              placeholder={listed[0]?.sample ?? ''}
              onInput={({ currentTarget }) => setChannels(currentTarget.value)}
            />
            <small>
              {listed.map(({ name, example, help }) => (
                <span key={name}>
                  {example}: {help}{' '}
                </span>
              ))}
            </small>
          </label>
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
        <ChangeButton type="button" class="danger" onClick={asked ? remove : () => setAsked(true)}>
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

function options(choices: Readonly<Record<string, string>>) {
  return Object.entries(choices).map(([value, title]) => (
    <option key={value} value={value}>
      {title}
    </option>
  ));
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
}

function clockText(minutes: number): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
