import { type Context, defineMethod, type Method } from '../feature.ts';
import { type JsonSchema, present } from '../json.ts';
import type { Editor } from './editor.ts';
import {
  argumentsSchema,
  descriptionSchema,
  knownNameSchema,
  messagesSchema,
  nameSchema,
  tagsSchema,
  titleSchema,
} from './prompt-schemas.ts';
import type { Author, PromptChanges, PromptDraft } from './source.ts';

/** A field that is null is a field that is not there. */
const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const;

const optional = {
  description: orNull(descriptionSchema),
  arguments: orNull(argumentsSchema),
  tags: orNull(tagsSchema),
} as const;

/** Methods beyond the specification, by which clients keep the person's prompts. */
export function createMethods(editor: Editor): Readonly<Record<string, Method>> {
  return {
    'prompts/create': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['name', 'title', 'messages'],
        properties: { name: nameSchema, title: titleSchema, messages: messagesSchema, ...optional },
      },
      writes: true,
      async call({ name, title, messages, description, arguments: args, tags }, context) {
        const draft: PromptDraft = present({ name, title, description, arguments: args, messages, tags });
        await editor.create(draft, authorOf(context));
        return done('Created', name);
      },
    }),
    'prompts/update': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['name'],
        properties: {
          name: knownNameSchema,
          title: orNull(titleSchema),
          messages: orNull(messagesSchema),
          ...optional,
        },
      },
      writes: true,
      async call({ name, title, messages, description, arguments: args, tags }, context) {
        const changes: PromptChanges = present({ title, description, arguments: args, messages, tags });
        await editor.update(name, changes, authorOf(context));
        return done('Updated', name);
      },
    }),
    'prompts/delete': defineMethod({
      paramsSchema: { type: 'object', required: ['name'], properties: { name: knownNameSchema } },
      writes: true,
      async call({ name }, context) {
        await editor.delete(name, authorOf(context));
        return done('Deleted', name);
      },
    }),
  };
}

export function authorOf({ client: { name, version } }: Context): Author {
  return { name, version };
}

function done(verb: string, name: string): object {
  return { success: true, message: `${verb} prompt: ${name}` };
}
