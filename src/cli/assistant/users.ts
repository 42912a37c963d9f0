import type { ToolAnswer } from '../../api.ts';
import { addressFlag, channels } from '../../assistant/entities/channels.ts';
import { wholeList } from '../../paging.ts';
import { inCommandWords } from '../client/command-words.ts';
import { showFields, toolAction } from '../client/tool-command.ts';
import { type Command, type Flags, number, several, text, toggle } from '../terminal/command.ts';
import { tableText } from '../terminal/terminal.ts';

const valueNames = { email: 'ADDRESS', tel: 'NUMBER', url: 'ADDRESS', text: 'TEXT' } as const;

/** A flag for each field that holds the address of a channel. */
const addressFlags: Flags = Object.fromEntries(
  channels.flatMap(({ address: { field, noun } }) => {
    if (field === undefined) return [];
    const example = /\w$/.test(field.placeholder) ? `, such as ${field.placeholder}` : '';
    const description = `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}${example}`;
    return [
      [addressFlag(field).slice(2), text(valueNames[field.input], description, { argument: field.name })],
    ];
  }),
);

const personFlags: Flags = {
  ...addressFlags,
  timezone: text('ZONE', 'Time zone, such as Europe/Berlin; that of this machine, unless given'),
  'quiet-start': text('TIME', 'No messages from this time on; 21:00, unless given'),
  'quiet-end': text('TIME', 'No messages until this time; 07:00, unless given'),
  'channel-pref': text('CHANNEL', 'How to send messages; by mail, unless given'),
  'weekend-policy': text('CHANNEL', 'How to send messages at weekends, or none'),
  'escalation-threshold': number('MINUTES', 'Follow up urgent reminders from so long before the event'),
  'max-call-attempts': number('COUNT', 'Most calls for one event; 3, unless given'),
  locale: text('LANGUAGE', 'Language of messages, such as de-AT'),
  voice: text('VOICE', 'Voice of calls'),
  channels: several('ADDRESS', 'Address of another channel; can be repeated'),
  reminders: { ...text('JSON', 'Lead times by kind of event, such as {"online":["10m"]}'), format: 'json' },
  'kind-channels': {
    ...text('JSON', 'Channels by kind of event, such as {"flight":"call"}'),
    format: 'json',
  },
  'home-calendar': text('CALENDAR', 'CalDAV calendar that stores new events; only here, unless given'),
  'pause-from': text('TIME', 'When the pause of --pause-until begins; now, unless given'),
  'pause-until': text(
    'TIME',
    'No reminders until then, except those whose time you named for one event, and important events',
  ),
};

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const deletedText = ({ deleted }: ToolAnswer<'delete_user'>) => `✓ Deleted ${deleted}`;
const name = text('NAME', 'Name of the person');

export const users: Command = {
  name: 'users',
  summary: 'People, their preferences and their rules for reminders',
  actions: {
    list: toolAction({
      summary: 'List people',
      examples: ['users list', 'users list --json'],
      tool: 'list_users',
      defaults: wholeList,
      show: ({ users }, terminal) =>
        users.length === 0
          ? 'There are no people yet. Add yourself: adjutant users create NAME --email ADDRESS'
          : tableText(
              terminal,
              undefined,
              users.map(({ id, name, email, timezone, channel_pref }) => [
                id,
                name,
                email,
                timezone,
                channel_pref,
              ]),
            ),
    }),
    show: toolAction({
      summary: 'Show one person',
      args: '[PERSON]',
      examples: ['users show ada', 'users show ada --json'],
      tool: 'get_user',
      words: ['user_id'],
      show: showFields,
    }),
    me: toolAction({
      summary: 'Say which person you are',
      args: 'PERSON',
      examples: ['users me ada', 'users me "Ada Lovelace"'],
      tool: 'choose_me',
      words: ['user_id'],
      changes: true,
      show: ({ id, name }) => `✓ You are ${name} (${id}) now`,
    }),
    create: toolAction({
      summary: 'Add a person',
      args: '[NAME]',
      flags: { name, ...personFlags, id: text('ID', 'Short name for commands; made up, unless given') },
      examples: [
        'users create Ada --email ada@example.org',
        'users create Bob --id bob --timezone Europe/Paris',
      ],
      tool: 'create_user',
      words: ['name'],
      changes: true,
      show: ({ note, ...user }, terminal) =>
        showFields({ ...user, ...(note !== undefined && { note: inCommandWords(note) }) }, terminal),
    }),
    update: toolAction({
      summary: 'Change a person',
      args: '[PERSON]',
      flags: { name, ...personFlags, unset: several('FIELD', 'Field to clear; can be repeated') },
      examples: ['users update ada --timezone Europe/Berlin', 'users update ada --channel-pref ntfy'],
      tool: 'update_user',
      words: ['user_id'],
      changes: true,
      needsFlag: true,
      show: showFields,
    }),
    delete: toolAction({
      summary: 'Delete a person with all events, reminders and rules',
      args: 'PERSON',
      flags: { yes: toggle('Do not ask', { short: 'y' }) },
      examples: ['users delete bob', 'users delete bob --yes'],
      tool: 'delete_user',
      words: ['user_id'],
      changes: true,
      async confirm(client, { user_id }, terminal) {
        const person = { user_id: String(user_id) };
        const { value: user } = await client.call('get_user', person);
        const { events } = (await client.call('export_calendar', person)).value;
        const planned = await client.call('list_notifications', {
          ...person,
          status: 'planned',
          ...wholeList,
        });
        const rules = await client.call('list_rules', { ...person, ...wholeList });
        const counts = [
          counted(events, 'event'),
          counted(planned.value.notifications.length, 'planned reminder'),
        ];
        return terminal.confirm(
          `${user.name} has ${counts.join(', ')} and ${counted(rules.value.rules.length, 'rule')}. Delete all of it?`,
        );
      },
      show: deletedText,
    }),
    rules: toolAction({
      summary: 'List the rules of a person',
      args: '[PERSON]',
      examples: ['users rules ada', 'users rules ada --json'],
      tool: 'list_rules',
      words: ['user_id'],
      defaults: wholeList,
      show: ({ rules }, terminal) =>
        rules.length === 0
          ? 'No rules.'
          : tableText(
              terminal,
              undefined,
              rules.map(({ id, rule_type, rule_json, priority, enabled }) => [
                id,
                rule_type,
                JSON.stringify(rule_json),
                priority,
                enabled ? '' : 'off',
              ]),
            ),
    }),
    rule: toolAction({
      summary: 'Add or change a rule',
      args: '[PERSON]',
      flags: {
        'rule-type': text('TYPE', 'vip_organizer, internal_meeting, travel_buffer or fewer_reminders'),
        'rule-json': { ...text('JSON', 'What the rule says, such as {"minutes":30}'), format: 'json' },
        priority: number('NUMBER', 'Rules with a higher number come first'),
        enabled: toggle('Use the rule; --no-enabled keeps it for later'),
      },
      examples: [
        `users rule ada --rule-type travel_buffer --rule-json '{"minutes":30}'`,
        `users rule ada --rule-type vip_organizer --rule-json '{"organizers":["boss@example.org"]}'`,
      ],
      tool: 'set_rule',
      words: ['user_id'],
      changes: true,
      show: showFields,
    }),
    unrule: toolAction({
      summary: 'Delete a rule',
      args: 'RULE',
      examples: ['users unrule 7', 'users rules ada'],
      tool: 'delete_rule',
      words: ['rule_id'],
      changes: true,
      show: deletedText,
    }),
  },
};
