import type { Context } from '../../context.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { Tool } from '../../tool.ts';
import type { MeOptions } from '../editing/me.ts';
import type { AssistantData } from '../entities/entity-access.ts';

/** Arguments that name one person. */
export const personArguments = ['user_id', 'who'] as const;

/** Lets callers name people by id, name or mail address, and leave themselves out. */
export function acceptNames<One extends Tool>(tool: One, data: AssistantData, options: MeOptions): One {
  const properties = isObject(tool.inputSchema['properties']) ? tool.inputSchema['properties'] : {};
  const single = personArguments.filter((name) => name in properties);
  if ((single.length === 0 && !('people' in properties)) || tool.name === 'create_user') return tool;
  const creates = tool.annotations?.readOnlyHint !== true && tool.annotations?.destructiveHint !== true;
  const call = async (given: never, context: Context) => {
    const { personId } = await import('../editing/me.ts');
    const resolve = (written: unknown) => personId(data, options, String(written), context.actor, creates);
    const args: Record<string, unknown> = { ...(given as JsonObject) };
    for (const name of single) if (args[name] !== undefined) args[name] = await resolve(args[name]);
    if (Array.isArray(args['people'])) args['people'] = await Promise.all(args['people'].map(resolve));
    return tool.call(args as never, context);
  };
  return { ...tool, call };
}

/** In the document of the contract assistant, the person is always named by id. */
export function requirePerson<One extends Tool>(tool: One): One {
  const { properties, required = [] } = tool.inputSchema as {
    properties?: JsonObject;
    required?: readonly string[];
  };
  const person = properties?.['user_id'];
  if (!isObject(person) || !('default' in person)) return tool;
  const { default: _, ...field } = person;
  const inputSchema = {
    ...tool.inputSchema,
    properties: { ...properties, user_id: field },
    required: ['user_id', ...required],
  };
  return { ...tool, inputSchema };
}
