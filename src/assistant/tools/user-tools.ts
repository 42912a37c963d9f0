import { defineTool } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { deletedShape, listShape, ruleShape, userShape } from '../entities/shapes.ts';
import { ruleView, userView } from '../entities/view.ts';
import { newUserId, ruleFields, unsetUserFields, userFields, userId, userName } from './fields.ts';

export function userTools(data: AssistantData, timeoutMs: number) {
  return [
    defineTool({
      name: 'get_user',
      title: 'Get User',
      description: 'Get user details by ID',
      inputSchema: { type: 'object', properties: { user_id: userId }, required: ['user_id'] },
      outputSchema: userShape,
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ user_id }) {
        return { structured: userView(await data.store.read((db) => findUser(db, user_id))) };
      },
    }),
    defineTool({
      name: 'list_users',
      title: 'List Users',
      description: 'List all users',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: listShape('users', userShape),
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call() {
        const { listUsers } = await import('../editing/users.ts');
        const users = (await listUsers(data)).map(userView);
        return { structured: { users, count: users.length } };
      },
    }),
    defineTool({
      name: 'create_user',
      title: 'Create User',
      description: 'Add a user, with how and when to be notified of events',
      inputSchema: {
        type: 'object',
        properties: { name: userName, ...userFields, id: newUserId },
        required: ['name'],
        additionalProperties: false,
      },
      outputSchema: userShape,
      annotations: { destructiveHint: false, openWorldHint: false },
      timeoutMs,
      async call(fields) {
        const { createUser } = await import('../editing/users.ts');
        return { structured: userView(await createUser(data, fields)) };
      },
    }),
    defineTool({
      name: 'update_user',
      title: 'Update User',
      description: 'Change a user; what is planned follows at once',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: userId,
          name: userName,
          ...userFields,
          unset: unsetUserFields,
        },
        required: ['user_id'],
        additionalProperties: false,
      },
      outputSchema: userShape,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      timeoutMs,
      async call({ user_id, unset = [], ...fields }) {
        const { updateUser } = await import('../editing/users.ts');
        return { structured: userView(await updateUser(data, user_id, fields, unset)) };
      },
    }),
    defineTool({
      name: 'delete_user',
      title: 'Delete User',
      description: 'Remove a user with all events, notifications and rules',
      inputSchema: { type: 'object', properties: { user_id: userId }, required: ['user_id'] },
      outputSchema: deletedShape,
      annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
      timeoutMs,
      async call({ user_id }) {
        const { deleteUser } = await import('../editing/users.ts');
        await deleteUser(data, user_id);
        return { structured: { deleted: user_id } };
      },
    }),
    ...ruleTools(data, timeoutMs),
  ];
}

function ruleTools(data: AssistantData, timeoutMs: number) {
  return [
    defineTool({
      name: 'list_rules',
      title: 'List Rules',
      description: 'List the rules of a user: VIP organisers, internal meetings, travel time',
      inputSchema: { type: 'object', properties: { user_id: userId }, required: ['user_id'] },
      outputSchema: listShape('rules', ruleShape),
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ user_id }) {
        const { listRules } = await import('../entities/rules.ts');
        const rules = (await listRules(data, user_id)).map(ruleView);
        return { structured: { rules, count: rules.length } };
      },
    }),
    defineTool({
      name: 'set_rule',
      title: 'Set Rule',
      description: 'Add a rule of a user, or change one by its rule_id',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, ...ruleFields },
        required: ['user_id', 'rule_type', 'rule_json'],
        additionalProperties: false,
      },
      outputSchema: ruleShape,
      annotations: { destructiveHint: false, openWorldHint: false },
      timeoutMs,
      async call({ user_id, rule_type: type, rule_json: config, priority = 0, enabled = true, rule_id }) {
        const { setRule } = await import('../entities/rules.ts');
        return {
          structured: ruleView(await setRule(data, user_id, rule_id, { type, config, priority, enabled })),
        };
      },
    }),
    defineTool({
      name: 'delete_rule',
      title: 'Delete Rule',
      description: 'Remove a rule',
      inputSchema: {
        type: 'object',
        properties: { rule_id: { type: 'string', description: 'Rule ID' } },
        required: ['rule_id'],
      },
      outputSchema: deletedShape,
      annotations: { destructiveHint: true, openWorldHint: false },
      timeoutMs,
      async call({ rule_id }) {
        const { deleteRule } = await import('../entities/rules.ts');
        await deleteRule(data, rule_id);
        return { structured: { deleted: rule_id } };
      },
    }),
  ];
}
