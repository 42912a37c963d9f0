import type { ToolAnswer } from '../../api.ts';
import {
  newUserId,
  ruleFields,
  unsetUserFields,
  userFields,
  userName,
} from '../../assistant/tools/user-fields.ts';
import { wholeList } from '../../paging.ts';
import { inCommandWords } from '../client/command-words.ts';
import { showFields, showTable, toolAction, toolCommand } from '../client/tool-command.ts';

const deletedText = ({ deleted }: ToolAnswer<'delete_user'>) => `deleted ${deleted}`;

export const users = toolCommand({
  name: 'users',
  summary: 'Manage users, their preferences and their notification rules.',
  settings: ['assistant.database_url'],
  actions: {
    list: toolAction({
      tool: 'list_users',
      defaults: wholeList,
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
    show: toolAction({ tool: 'get_user', positional: 'user_id', show: showFields }),
    create: toolAction({
      tool: 'create_user',
      changes: true,
      fields: { name: userName, ...userFields, id: newUserId },
      show: ({ note, ...user }) =>
        showFields({ ...user, ...(note !== undefined && { note: inCommandWords(note) }) }),
    }),
    update: toolAction({
      tool: 'update_user',
      changes: true,
      positional: 'user_id',
      fields: { name: userName, ...userFields, unset: unsetUserFields },
      show: showFields,
    }),
    delete: toolAction({ tool: 'delete_user', changes: true, positional: 'user_id', show: deletedText }),
    rules: toolAction({
      tool: 'list_rules',
      defaults: wholeList,
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
      tool: 'set_rule',
      changes: true,
      positional: 'user_id',
      fields: ruleFields,
      show: showFields,
    }),
    unrule: toolAction({ tool: 'delete_rule', changes: true, positional: 'rule_id', show: deletedText }),
  },
});
