import { type Context, isOwner } from '../../context.ts';
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

/** Clients may send null instead of omitting a field. */
const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const;

const optional = {
  description: orNull(descriptionSchema),
  arguments: orNull(argumentsSchema),
  tags: orNull(tagsSchema),
} as const;

const revisionField = { expected_revision: orNull(expectedRevisionSchema) } as const;

export interface MethodOptions {
  /** True if the methods accept `expected_revision`. */
  readonly revisions: boolean;
}

/** Custom methods, not part of the MCP specification, with which clients edit the user's prompts. */
export function createMethods(
  editor: Editor,
  { revisions }: MethodOptions,
): Readonly<Record<string, Method>> {
  // A contract without revisions ignores the field, whatever its value.
  const optionalRevision = revisions ? revisionField : ({} as typeof revisionField);
  const expectedRevision = (given: string | null | undefined) =>
    revisions ? (given ?? undefined) : undefined;
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
          ...optionalRevision,
        },
      },
      writes: true,
      async call({ name, expected_revision, ...given }, context) {
        const { title, messages, description, arguments: args, tags } = given;
        const changes: PromptChanges = present({ title, description, arguments: args, messages, tags });
        await editor.update(name, changes, authorOf(context), expectedRevision(expected_revision));
        return done('Updated', name);
      },
    }),
    'prompts/delete': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: knownNameSchema, ...optionalRevision },
      },
      writes: true,
      async call({ name, expected_revision }, context) {
        await editor.delete(name, authorOf(context), expectedRevision(expected_revision));
        return done('Deleted', name);
      },
    }),
  };
}

/** The client, and the token or OAuth subject unless the owner uses the client. */
export function authorOf({ actor, client: { name, version } }: Context): Author {
  return { name: isOwner(actor) ? name : `${name} (${actor.name})`, version };
}

function done(verb: string, name: string): object {
  return { success: true, message: `${verb} prompt: ${name}` };
}
