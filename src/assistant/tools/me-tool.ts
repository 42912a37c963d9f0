import { isOwner } from '../../context.ts';
import { Denied } from '../../failure.ts';
import { defineTool, hints } from '../../tool.ts';
import type { MeOptions } from '../editing/me.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { userShape } from '../entities/shapes.ts';
import { userView } from '../entities/view.ts';
import { namedUserId } from './fields.ts';

/** Says once who `me` is, if several people are known. */
export function meTool(data: AssistantData, options: MeOptions) {
  return defineTool({
    name: 'choose_me',
    toolsets: ['people'],
    scope: 'calendar:*',
    title: 'Choose Me',
    description:
      'Stores which person the user is, so that other tools need no user_id. Use it once, when the user says who they are.',
    phrases: 'I am my name is who am I this is me set myself as default person whose calendar is mine',
    inputSchema: { type: 'object', properties: { user_id: namedUserId }, required: ['user_id'] },
    outputSchema: userShape,
    annotations: hints.sets,
    async call({ user_id }, { actor }) {
      if (!isOwner(actor)) throw new Denied('refused', 'Only the owner of this server can say who "me" is.');
      const user = await data.store.read((db) => findUser(db, user_id));
      const { chooseMe } = await import('../editing/me.ts');
      await chooseMe(options, user.id);
      return { structured: userView(user) };
    },
  });
}
