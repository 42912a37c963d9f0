import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { SelectField, TextField } from '../controls/fields.tsx';
import type { User } from '../events/calendar-data.ts';
import { ChangeButton } from '../shared/buttons.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

type Rule = ToolAnswer<'list_rules'>['rules'][number];
interface Config {
  readonly organizers?: readonly string[];
  readonly domains?: readonly string[];
  readonly minutes?: number;
  readonly title?: string;
  readonly max?: number;
}

const list = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** What each kind of rule does, the label of its field, and its configuration. */
const kinds = {
  vip_organizer: {
    title: 'Important organizers',
    field: 'Addresses, or @example.com',
    config: (text: string) => ({ organizers: list(text) }),
    say: ({ organizers = [] }: Config) => `Events of ${organizers.join(', ')} are important`,
  },
  internal_meeting: {
    title: 'Internal meetings',
    field: 'Mail domains',
    config: (text: string) => ({ domains: list(text) }),
    say: ({ domains = [] }: Config) => `One short reminder of meetings within ${domains.join(', ')}`,
  },
  travel_buffer: {
    title: 'Travel time',
    field: 'Minutes',
    config: (text: string) => ({ minutes: Number(text) }),
    say: ({ minutes }: Config) => `${minutes} minutes of travel before events at a place`,
  },
  fewer_reminders: {
    title: 'Fewer reminders',
    field: 'Title of the events',
    config: (text: string) => ({ title: text, max: 1 }),
    say: ({ title, max = 1 }: Config) =>
      `At most ${max} ${max === 1 ? 'reminder' : 'reminders'} of “${title}”`,
  },
} as const;
type Kind = keyof typeof kinds;

/** The rules for reminders of a person. Rules made by "Less like this" are here as well, and can be deleted. */
export function RuleList({ user, updates }: { user: User; updates: number }) {
  const { client } = useConnection();
  const toast = useToast();
  const [round, setRound] = useState(0);
  const [kind, setKind] = useState<Kind>('vip_organizer');
  const [text, setText] = useState('');
  const { value, error } = useLoaded(
    (mcp, signal) => mcp.tool('list_rules', { user_id: user.id, ...wholeList }, { signal }),
    [user.id, updates, round],
  );
  const change = (request: Promise<unknown>) =>
    request.then(
      () => {
        setRound((now) => now + 1);
        setText('');
      },
      (failed) => toast({ text: asError(failed).message }),
    );
  const add = (submitted: Event) => {
    submitted.preventDefault();
    const rule_json = kinds[kind].config(text) as unknown as Record<string, never>;
    const set = async () => {
      const { id: rule_id } = await client.tool('set_rule', { user_id: user.id, rule_type: kind, rule_json });
      const undo = () => change(client.tool('delete_rule', { rule_id }));
      toast({ text: 'Rule added.', undo });
    };
    void change(set());
  };
  const restore = ({ rule_type, rule_json, priority, enabled }: Rule) =>
    change(
      client.tool('set_rule', {
        ...{ user_id: user.id, rule_type, priority, enabled },
        rule_json: rule_json as Record<string, never>,
      }),
    );
  const remove = async (rule: Rule) => {
    await change(client.tool('delete_rule', { rule_id: rule.id }));
    toast({ text: 'Rule deleted.', undo: () => restore(rule) });
  };
  return (
    <fieldset>
      <legend>Rules</legend>
      {error && <p class="problem">{error.message}</p>}
      <ul class="task-list">
        {value?.rules.map((rule) => (
          <li key={rule.id}>
            <span>
              {kinds[rule.rule_type].say(rule.rule_json as Config)}
              {!rule.enabled && ' (off)'}
            </span>
            <ChangeButton class="small danger" onClick={() => remove(rule)}>
              Delete rule
            </ChangeButton>
          </li>
        ))}
      </ul>
      {value?.rules.length === 0 && <p class="quiet">No rules. The settings above apply to every event.</p>}
      <form onSubmit={add}>
        <SelectField
          label="New rule"
          value={kind}
          options={Object.fromEntries(Object.entries(kinds).map(([name, { title }]) => [name, title]))}
          change={(name) => setKind(name as Kind)}
        />
        <TextField
          label={kinds[kind].field}
          required
          type={kind === 'travel_buffer' ? 'number' : 'text'}
          value={text}
          change={setText}
        />
        <ChangeButton type="submit">Add rule</ChangeButton>
      </form>
    </fieldset>
  );
}
