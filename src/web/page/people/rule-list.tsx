import { useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { SelectField, TextField } from '../controls/fields.tsx';
import { splitList } from '../controls/words.ts';
import type { User } from '../events/calendar-data.ts';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { useTool } from '../shared/server-connection.tsx';

type Rule = ToolAnswer<'list_rules'>['rules'][number];
interface Config {
  readonly organizers?: readonly string[];
  readonly domains?: readonly string[];
  readonly minutes?: number;
  readonly title?: string;
  readonly max?: number;
}

/** What each kind of rule does, the label of its field, and its configuration. */
const kinds = {
  vip_organizer: {
    title: 'Important organizers',
    field: 'Addresses, or @example.com',
    config: (text: string) => ({ organizers: splitList(text) }),
    say: ({ organizers = [] }: Config) => `Events of ${organizers.join(', ')} are important`,
  },
  internal_meeting: {
    title: 'Internal meetings',
    field: 'Mail domains',
    config: (text: string) => ({ domains: splitList(text) }),
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

/** The rules for reminders of a person. Rules made by "Fewer like these" are here as well, and can be deleted. */
export function RuleList({ user, updates }: { user: User; updates: number }) {
  const { client, act } = useActions();
  const [round, setRound] = useState(0);
  const draft = useDraft('rule', user.id, () => ({ kind: 'vip_organizer' as Kind, text: '' }));
  const { kind, text } = draft.fields;
  const { value, error } = useTool('list_rules', { user_id: user.id, ...wholeList }, updates, round);
  const reload = () => setRound((now) => now + 1);
  const deleteRule = (rule_id: string) => client.tool('delete_rule', { rule_id }).then(reload);
  const set = async (
    rule: Pick<ToolArguments<'set_rule'>, 'rule_type' | 'priority' | 'enabled'>,
    config: object,
  ) => {
    const rule_json = config as Record<string, never>;
    const { id } = await client.tool('set_rule', { user_id: user.id, ...rule, rule_json });
    reload();
    return id;
  };
  const add = async () => {
    const id = await set({ rule_type: kind }, kinds[kind].config(text));
    return { text: 'Rule added.', undo: () => deleteRule(id) };
  };
  const remove = ({ id, rule_type, rule_json, priority, enabled }: Rule) =>
    act(async () => {
      await deleteRule(id);
      return { text: 'Rule deleted.', undo: () => set({ rule_type, priority, enabled }, rule_json) };
    });
  return (
    <fieldset>
      <legend>Rules</legend>
      {error && <p class="problem">{error.message}</p>}
      <ul class="plain-list task-list">
        {value?.rules.map((rule) => (
          <li key={rule.id}>
            <span>
              {kinds[rule.rule_type].say(rule.rule_json as Config)}
              {!rule.enabled && ' (off)'}
            </span>
            <ChangeButton class="small danger" tool="delete_rule" onClick={() => remove(rule)}>
              Delete rule
            </ChangeButton>
          </li>
        ))}
      </ul>
      {value?.rules.length === 0 && <p class="quiet">No rules. The settings above apply to every event.</p>}
      <ActionForm class="" tool="set_rule" action="Add rule" draft={draft} submit={add}>
        <SelectField
          label="New rule"
          value={kind}
          options={Object.fromEntries(Object.entries(kinds).map(([name, { title }]) => [name, title]))}
          change={(name) => draft.set({ kind: name as Kind })}
        />
        <TextField
          label={kinds[kind].field}
          required
          type={kind === 'travel_buffer' ? 'number' : 'text'}
          {...draft.field('text')}
        />
      </ActionForm>
    </fieldset>
  );
}
