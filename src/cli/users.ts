import { newUserId, ruleFields, unsetUserFields, userFields, userName } from '../assistant/fields.ts';
import type { JsonObject } from '../json.ts';
import { showFields, showTable, toolCommand } from './tool-command.ts';

const gone = ({ deleted }: JsonObject) => `deleted ${deleted}`;

export const users = toolCommand({
  name: 'users',
  summary: 'Keep the users of the diary, their preferences and their rules.',
  settings: ['assistant.database_url'],
  actions: {
    list: {
      tool: 'listUsers',
      show: ({ users }) =>
        showTable(
          (users as JsonObject[]).map(({ id, name, email, timezone, channel_pref }) => [
            id,
            name,
            email,
            timezone,
            channel_pref,
          ]),
          'There are no users yet: adjutant users create --name NAME --email ADDRESS',
        ),
    },
    show: { tool: 'getUser', positional: 'user_id', show: showFields },
    create: {
      tool: 'createUser',
      changes: true,
      fields: { name: userName, ...userFields, id: newUserId },
      show: showFields,
    },
    update: {
      tool: 'updateUser',
      changes: true,
      positional: 'user_id',
      fields: { name: userName, ...userFields, unset: unsetUserFields },
      show: showFields,
    },
    delete: { tool: 'deleteUser', changes: true, positional: 'user_id', show: gone },
    rules: {
      tool: 'listRules',
      positional: 'user_id',
      show: ({ rules }) =>
        showTable(
          (rules as JsonObject[]).map(({ id, rule_type, rule_json, priority, enabled }) => [
            id,
            rule_type,
            JSON.stringify(rule_json),
            priority,
            enabled ? '' : 'off',
          ]),
          'There are no rules.',
        ),
    },
    rule: { tool: 'setRule', changes: true, positional: 'user_id', fields: ruleFields, show: showFields },
    unrule: { tool: 'deleteRule', changes: true, positional: 'rule_id', show: gone },
  },
});
