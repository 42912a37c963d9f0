import type { ToolAnswer } from '../../api.ts';
import {
  newUserId,
  ruleFields,
  unsetUserFields,
  userFields,
  userName,
} from '../../assistant/tools/fields.ts';
import { showFields, showTable, toolAction, toolCommand } from '../client/tool-command.ts';

const deletedText = ({ deleted }: ToolAnswer<'deleteUser'>) => `deleted ${deleted}`;

export const users = toolCommand({
  name: 'users',
  summary: 'Manage users, their preferences and their notification rules.',
  settings: ['assistant.database_url'],
  actions: {
    list: toolAction({
      tool: 'listUsers',
      show: ({ users }) =>
        showTable(
          users.map(({ id, name, email, timezone, channel_pref }) => [
            id,
            name,
            email,
            timezone,
            channel_pref,
          ]),
          'No users yet. Create one: adjutant users create --name NAME --email ADDRESS',
        ),
    }),
    show: toolAction({ tool: 'getUser', positional: 'user_id', show: showFields }),
    create: toolAction({
      tool: 'createUser',
      changes: true,
      fields: { name: userName, ...userFields, id: newUserId },
      show: showFields,
    }),
    update: toolAction({
      tool: 'updateUser',
      changes: true,
      positional: 'user_id',
      fields: { name: userName, ...userFields, unset: unsetUserFields },
      show: showFields,
    }),
    delete: toolAction({ tool: 'deleteUser', changes: true, positional: 'user_id', show: deletedText }),
    rules: toolAction({
      tool: 'listRules',
      positional: 'user_id',
      show: ({ rules }) =>
        showTable(
          rules.map(({ id, rule_type, rule_json, priority, enabled }) => [
            id,
            rule_type,
            JSON.stringify(rule_json),
            priority,
            enabled ? '' : 'off',
          ]),
          'No rules.',
        ),
    }),
    rule: toolAction({
      tool: 'setRule',
      changes: true,
      positional: 'user_id',
      fields: ruleFields,
      show: showFields,
    }),
    unrule: toolAction({ tool: 'deleteRule', changes: true, positional: 'rule_id', show: deletedText }),
  },
});
