import { useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { Choice, SelectField, TextArea, TextField } from '../controls/fields.tsx';
import { type Channel, loadChannels, localeOf, type User } from '../events/calendar-data.ts';
import { ClockSelect } from '../events/time-fields.tsx';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { ChangeButton, ConfirmButton } from '../shared/buttons.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { Pending, useLoaded } from '../shared/server-connection.tsx';
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
  if (!value || error) return <Pending error={error} />;
  return <SettingsForm user={user} updates={updates} known={value} />;
}

function SettingsForm({ user, updates, known }: { user: User; updates: number; known: readonly Channel[] }) {
  const { client, invalidate, act } = useActions();
  // Addresses may hold secrets, which the server masks: the list is sent only if it was edited.
  const draft = useDraft('settings', user.id, () => ({
    ...fieldsOf(user),
    ...{ channels: (user.channels ?? []).join('\n'), leads: leadsOf(user) },
  }));
  const { fields, field } = draft;
  const { channels, leads, ...texts } = fields;
  const listed = known.filter(({ field }) => field === undefined);
  const save = async () => {
    const changedChannels = channels !== (user.channels ?? []).join('\n');
    const list = channels.split('\n').filter((line) => line.trim() !== '');
    const { unset, ...given } = writtenFields(texts);
    const { undo } = await client.undoable('update_user', {
      ...{ ...given, user_id: user.id, reminders: writtenLeads(leads) },
      ...(changedChannels && list.length > 0 && { channels: list }),
      unset: [...unset, ...(changedChannels && list.length === 0 ? ['channels'] : [])] as never[],
    });
    const restore = async () => {
      const text = await undo!();
      draft.clear();
      return text;
    };
    invalidate('resources');
    const text = `Saved. Planned reminders of ${fields.name} follow these settings.`;
    return { text, ...(undo && { undo: restore }) };
  };
  const remove = () =>
    act(async () => {
      await client.tool('delete_user', { user_id: user.id });
      location.hash = '#/calendar';
      invalidate('resources');
    });
  return (
    <>
      <ActionForm tool="update_user" action="Save" draft={draft} submit={save}>
        <TextField label="Name" required {...field('name')} />
        <ZoneInput {...field('timezone')} />
        <SelectField
          label="Language of messages"
          options={{ [fields.locale]: fields.locale, ...languages }}
          {...field('locale')}
        />
        <fieldset>
          <legend>Where messages go</legend>
          <SelectField label="Preferred channel" options={preferencesOf(known)} {...field('channel_pref')} />
          <SelectField
            label="At weekends"
            options={{ '': 'The same, without calls', none: 'Nothing', ...preferencesOf(known) }}
            {...field('weekend_policy')}
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
                  {...field(channel.field.name)}
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
            change={field('channels').change}
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
                change={(minutes) => draft.set({ [name]: clockText(minutes) })}
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
          <LeadFields leads={leads} change={field('leads').change} />
        </fieldset>
      </ActionForm>
      <TestMessage user={user} channels={known} />
      <RuleList user={user} updates={updates} />
      <p class="buttons">
        <ConfirmButton
          class="danger"
          tool="delete_user"
          question={`Delete ${user.name} with all events`}
          keep={`Keep ${user.name}`}
          confirm={remove}
        >
          Delete person
        </ConfirmButton>
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
  const { client, busy, problem, attempt } = useActions();
  const [channel, setChannel] = useState('');
  const [result, setResult] = useState<ToolAnswer<'test_notification'> | undefined>();
  const send = () =>
    attempt(async () => {
      const chosen = channel !== '' && { channel };
      setResult(await client.tool('test_notification', { user_id: user.id, ...chosen }));
    });
  return (
    <fieldset>
      <legend>Test message</legend>
      <p class="buttons">
        <Choice
          name="Channel to test"
          value={channel}
          options={[['', 'Preferred channel'], ...channels.map(({ name, label }) => [name, label] as const)]}
          change={setChannel}
        />
        <ChangeButton tool="test_notification" disabled={busy} onClick={send}>
          {busy ? 'Sending…' : 'Send test message'}
        </ChangeButton>
      </p>
      <div role="status">
        {problem && <p class="problem">{problem}</p>}
        {result && !problem && (
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
