import type { Context } from '../../context.ts';
import { type JsonSchema, present } from '../../json.ts';
import { defineMethod, type Method } from '../../tool.ts';
import type { Editor } from '../catalog/editor.ts';
import type { Author, PromptChanges, PromptDraft } from '../definition/source.ts';
import {
  argumentsSchema,
  descriptionSchema,
  expectedRevisionSchema,
  knownNameSchema,
  messagesSchema,
  nameSchema,
  tagsSchema,
  titleSchema,
} from './prompt-schemas.ts';

/** A field that is null is a field that is not there. */
const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const;

const optional = {
  description: orNull(descriptionSchema),
  arguments: orNull(argumentsSchema),
  tags: orNull(tagsSchema),
} as const;

const expecting = { expected_revision: orNull(expectedRevisionSchema) } as const;

export interface MethodOptions {
  /** Whether `expected_revision` is part of the methods. */
  readonly revisions: boolean;
}

/** Methods beyond the specification, by which clients keep the person's prompts. */
export function createMethods(
  editor: Editor,
  { revisions }: MethodOptions,
): Readonly<Record<string, Method>> {
  // A contract without revisions ignores the field, whatever it holds.
  const expectation = revisions ? expecting : ({} as typeof expecting);
  const expectedOf = (given: string | null | undefined) => (revisions ? (given ?? undefined) : undefined);
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
          ...expectation,
        },
      },
      writes: true,
      async call({ name, expected_revision, ...given }, context) {
        const { title, messages, description, arguments: args, tags } = given;
        const changes: PromptChanges = present({ title, description, arguments: args, messages, tags });
        await editor.update(name, changes, authorOf(context), expectedOf(expected_revision));
        return done('Updated', name);
      },
    }),
    'prompts/delete': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: knownNameSchema, ...expectation },
      },
      writes: true,
      async call({ name, expected_revision }, context) {
        await editor.delete(name, authorOf(context), expectedOf(expected_revision));
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
