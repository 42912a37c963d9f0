import { maySeePerson } from '../../context.ts';
import { pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { ChannelConfig } from '../entities/channels.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { deletedShape, listShape, plannedShape, ruleShape, userShape } from '../entities/shapes.ts';
import { ruleView, userView } from '../entities/view.ts';
import { namedUserId, userId } from './fields.ts';
import {
  acceptedUserFields,
  announcedUnset,
  announcedUserFields,
  newUserId,
  ruleFields,
  unsetUserFields,
  userFields,
  userName,
} from './user-fields.ts';

/** With a configuration, writes say what reaches the person and what does not. */
export function userTools(data: AssistantData, timeoutMs: number, config?: ChannelConfig) {
  return [
    defineTool({
      name: 'get_user',
      toolsets: ['people'],
      scope: 'calendar:USER',
      title: 'Get User',
      description:
        'Gets contact data and notification preferences of a person; without user_id, of the user.',
      searchHint: 'person contact preferences',
      phrases:
        'person profile details preferences time zone address phone number mobile quiet hours channel contact contacted reach email mail how does like lookup one settings information about him her where lives language data record card prefers look up know what is his her',
      inputSchema: { type: 'object', properties: { user_id: userId } },
      outputSchema: userShape,
      annotations: hints.reads,
      timeoutMs,
      async call({ user_id }) {
        return { structured: userView(await data.store.read((db) => findUser(db, user_id))) };
      },
    }),
    defineTool({
      name: 'list_users',
      toolsets: ['calendar', 'notifications', 'people'],
      scope: 'calendar:USER',
      core: true,
      title: 'List Users',
      description: 'Lists the people whose calendars are managed, with their ids.',
      searchHint: 'people persons contacts',
      phrases:
        'list people persons members who system registered time zone everybody everyone whose diaries calendars manage look after how many on file known roster directory names contacts staff family team all signed up subscribers participants have got enrolled',
      inputSchema: { type: 'object', properties: pageArguments },
      outputSchema: listShape('users', userShape),
      annotations: hints.reads,
      timeoutMs,
      async call(page, { actor }) {
        const { listUsers } = await import('../editing/users.ts');
        const found = (await listUsers(data)).filter(({ id }) => maySeePerson(actor, id));
        const { items: users, next } = pageOf(found, userView, page);
        return { structured: { users, count: found.length, ...next } };
      },
    }),
    defineTool({
      name: 'create_user',
      toolsets: ['people'],
      scope: 'calendar:*',
      inViews: true,
      title: 'Create User',
      description:
        'Adds a person, and how and when to notify them. A channel needs its address. update_user has more settings.',
      searchHint: 'person people',
      phrases:
        'add new person colleague member mail address phone mobile register sign up enrol join wife husband brother sister friend client customer newcomer employee family someone introduce onboard set up account include partner mother father son daughter wants reminders too hire started',
      inputSchema: {
        type: 'object',
        properties: {
          name: userName,
          ...(announcedUserFields as unknown as typeof userFields),
          id: newUserId,
        },
        required: ['name'],
        additionalProperties: false,
      },
      acceptedSchema: {
        type: 'object',
        properties: { name: userName, ...acceptedUserFields, id: newUserId },
        required: ['name'],
        additionalProperties: false,
      },
      outputSchema: {
        ...userShape,
        properties: { ...userShape.properties, note: { type: 'string', description: 'What was assumed' } },
      },
      annotations: hints.adds,
      timeoutMs,
      async call(fields) {
        const { createUser } = await import('../editing/users.ts');
        const user = await createUser(data, fields);
        const note = `No time zone was given, so ${user.timezone}, the one of this machine, was stored. Use update_user to change it.`;
        return { structured: { ...userView(user), ...(fields.timezone === undefined && { note }) } };
      },
    }),
    defineTool({
      name: 'update_user',
      toolsets: ['people'],
      scope: 'calendar:USER',
      inViews: true,
      title: 'Update User',
      description:
        'Changes contact data or preferences of a user; planned reminders follow. Other fields stay.',
      searchHint: 'person preferences quiet hours channel',
      phrases:
        'change person profile preferences prefer channel mail phone call time zone quiet hours do not disturb undisturbed night sleep new number moved moved house relocated email address instead of calling texts ring rather married name weekend language evening before after morning wake different contact push switch silence vacation holiday pause resume agenda digest summary morning lead times by kind flight train doctor birthday',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: userId,
          name: userName,
          ...userFields,
          unset: announcedUnset as unknown as typeof unsetUserFields,
        },
        additionalProperties: false,
      },
      acceptedSchema: {
        type: 'object',
        properties: { user_id: userId, name: userName, ...acceptedUserFields, unset: unsetUserFields },
        additionalProperties: false,
      },
      outputSchema: {
        ...userShape,
        properties: { ...userShape.properties, warnings: plannedShape.warnings },
      },
      annotations: hints.replaces,
      timeoutMs,
      async call({ user_id, unset = [], ...fields }) {
        const { updateUser } = await import('../editing/users.ts');
        const { userWarnings } = await import('./user-warnings.ts');
        const before = await data.store.read((db) => findUser(db, user_id));
        const user = await updateUser(data, user_id, fields, unset);
        const warnings = config ? await userWarnings(data, config, before, user, Object.keys(fields)) : [];
        return { structured: { ...userView(user), ...(warnings.length > 0 && { warnings }) } };
      },
    }),
    defineTool({
      name: 'delete_user',
      toolsets: ['people'],
      scope: 'calendar:*',
      inViews: true,
      title: 'Delete User',
      description: 'Deletes a user with all events, calendars, reminders and rules, for good.',
      phrases:
        'delete remove person and everything planned data erase forget wipe close account left company leave quit fired former member client customer employee all their data privacy GDPR unregister deregister kick gone moved away sign off no longer works out of the system altogether ex completely unsubscribe',
      inputSchema: { type: 'object', properties: { user_id: namedUserId }, required: ['user_id'] },
      outputSchema: deletedShape,
      annotations: hints.replaces,
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
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'List Rules',
      description: 'Lists the reminder rules of a user with their ids.',
      phrases:
        'list notification rules apply preferences importance special exceptions conditions set up who is important vip which have reminders alerts nagging policy policies treatment handled in force custom see boss how defined arrangement configured told you treat differently',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, ...pageArguments },
      },
      outputSchema: listShape('rules', ruleShape),
      annotations: hints.reads,
      timeoutMs,
      async call({ user_id, ...page }) {
        const { listRules } = await import('../entities/rules.ts');
        const found = await listRules(data, user_id);
        const { items: rules, next } = pageOf(found, ruleView, page);
        return { structured: { rules, count: found.length, ...next } };
      },
    }),
    defineTool({
      name: 'set_rule',
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'Set Rule',
      description: 'Adds a rule for the reminders of a user, or replaces one.',
      searchHint: 'VIP organizer internal meeting travel time notification',
      phrases:
        'add rule important importance priority meetings organized boss chief travel commute drive driving remind warn earlier later never always ignore vip treat less fewer nag often half hour ahead whenever from now on every time anything from special exception buffer way get there train matters most mute extra time getting there on the way ceo manager high enough',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, ...ruleFields },
        required: ['rule_type', 'rule_json'],
        additionalProperties: false,
      },
      outputSchema: ruleShape,
      annotations: { ...hints.replaces, idempotentHint: false },
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
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'Delete Rule',
      description: 'Deletes a reminder rule for good.',
      phrases:
        'delete remove forget drop cancel a rule exception no longer applies stop treating vip boss important travel time buffer fewer reminders undo get rid of special condition policy lift end back to normal ordinary abolish scrap outdated manager special lift restriction any longer',
      inputSchema: {
        type: 'object',
        properties: { rule_id: { type: 'string', description: 'From list_rules' } },
        required: ['rule_id'],
      },
      outputSchema: deletedShape,
      annotations: hints.replaces,
      timeoutMs,
      async call({ rule_id }) {
        const { deleteRule } = await import('../entities/rules.ts');
        await deleteRule(data, rule_id);
        return { structured: { deleted: rule_id } };
      },
    }),
  ];
}
