import { type Context, isOwner } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { problemSchema } from '../../feature.ts';
import { type JsonSchema, present } from '../../json.ts';
import { defineMethod, defineTool, hints, type Method } from '../../tool.ts';
import type { Editor } from '../catalog/editor.ts';
import type { ArgumentDefinition, MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import { maxArguments } from '../definition/prompt-fields.ts';
import type { Author, PromptChanges, PromptDraft } from '../definition/source.ts';
import { flatten, renderPrompt } from '../rendering/rendering.ts';
import type { Versions } from '../versions/versions.ts';
import {
  announcedMessages,
  argumentsSchema,
  descriptionSchema,
  expectedRevisionSchema,
  jsonlNameSchema,
  knownNameSchema,
  messagesSchema,
  nameSchema,
  tagsSchema,
  titleSchema,
} from './prompt-schemas.ts';

const fields = {
  description: descriptionSchema,
  arguments: argumentsSchema,
  text: { type: 'string', description: '{{name}} inserts an argument' },
  messages: announcedMessages as unknown as typeof messagesSchema,
  tags: tagsSchema,
} as const;

const createInput = {
  type: 'object',
  required: ['name', 'title'],
  properties: { name: nameSchema, title: titleSchema, ...fields },
} as const;

const updateInput = {
  type: 'object',
  required: ['name'],
  properties: {
    name: knownNameSchema,
    title: titleSchema,
    ...fields,
    expected_revision: expectedRevisionSchema,
  },
} as const;

/** The schema with the full schema of messages, which is too long for lists of tools. */
function accepting<Schema extends { readonly properties: object }>(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, messages: messagesSchema } };
}

type FullName = Versions['fullName'];
type Messages = readonly MessageDefinition[];

/** A longer text is not repeated in the answer. */
const maxExample = 2000;

const doneSchema = {
  type: 'object',
  required: ['success', 'message'],
  properties: { success: { type: 'boolean' }, message: { type: 'string' } },
} as const;

const savedSchema = {
  type: 'object',
  required: ['success', 'message', 'revision', 'problems'],
  properties: {
    ...doneSchema.properties,
    revision: { type: 'string', description: 'Its revision now' },
    problems: { type: 'array', items: problemSchema, description: 'Found by lint_prompts in it' },
    example: { type: 'string', description: 'Its text with <name> for each argument' },
  },
} as const;

/** Tools to edit the user's own prompts, for clients that cannot call custom methods. */
export function createEditingTools(editor: Editor, { fullName }: Pick<Versions, 'fullName'>) {
  return [
    createCreateTool(editor),
    createUpdateTool(editor, fullName),
    createDeleteTool(editor, fullName),
    createRestoreTool(editor, fullName),
  ];
}

function createCreateTool(editor: Editor) {
  return defineTool({
    name: 'create_prompt',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Create prompt',
    description: 'Saves a new prompt to reuse. Give text or messages.',
    searchHint: 'save template command',
    phrases:
      'save add store write new reusable prompt template text remember keep record shortcut canned reply snippet instructions make compose note down reuse wording put in library memorize for next time turn into boilerplate macro own',
    inputSchema: createInput,
    acceptedSchema: accepting(createInput),
    outputSchema: savedSchema,
    annotations: hints.adds,
    async call({ text, messages: given, ...fields }, context) {
      const messages = messagesFrom(text, given);
      if (messages === undefined)
        throw new Failure('invalid-params', 'Give the prompt as text or as messages.');
      return { structured: await createPrompt(editor, { ...fields, messages }, context) };
    },
  });
}

function createUpdateTool(editor: Editor, fullName: FullName) {
  return defineTool({
    name: 'update_prompt',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Update prompt',
    description:
      "Changes one of the user's prompts. Other fields stay; an empty list clears a field. prompt_history keeps the old version.",
    searchHint: 'edit template command',
    phrases:
      'edit change modify rename rewrite wording title description tags of a prompt better improve reword rephrase tweak fix typo correct adjust alter polish shorten lengthen different name saved text template shortcut instruction canned amend revise replace sentence paragraph tone add line',
    inputSchema: updateInput,
    acceptedSchema: accepting(updateInput),
    outputSchema: savedSchema,
    // The history keeps the old version, but clients no longer get it.
    annotations: hints.replaces,
    async call({ name, text, messages: given, ...fields }, context) {
      const changes = { ...fields, name: await fullName(name), messages: messagesFrom(text, given) };
      return { structured: await updatePrompt(editor, changes, context) };
    },
  });
}

function createDeleteTool(editor: Editor, fullName: FullName) {
  return defineTool({
    name: 'delete_prompt',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Delete prompt',
    description: "Deletes one of the user's prompts. restore_prompt brings it back.",
    phrases:
      'delete remove throw away out discard erase a prompt bin trash scrap dump ditch drop get rid of no longer need saved template shortcut canned text snippet instruction unwanted useless obsolete clear wipe want gone',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: { name: knownNameSchema, expected_revision: expectedRevisionSchema },
    },
    outputSchema: doneSchema,
    annotations: hints.replaces,
    async call({ name: asked, expected_revision }, context) {
      const name = await fullName(asked);
      await editor.delete(name, authorOf(context), expected_revision);
      return { structured: done('Deleted', name) };
    },
  });
}

const restoreInput = {
  type: 'object',
  required: ['name', 'revision'],
  properties: {
    name: knownNameSchema,
    revision: { type: 'integer', minimum: 1, description: 'From prompt_history' },
    expected_revision: expectedRevisionSchema,
  },
} as const;
/** The answers of the other tools have the revision as text. */
const acceptedRestoreInput = {
  ...restoreInput,
  properties: {
    ...restoreInput.properties,
    revision: {
      anyOf: [restoreInput.properties.revision, { type: 'string', pattern: '^[1-9][0-9]{0,8}$' }],
    },
  },
} as const;

function createRestoreTool(editor: Editor, fullName: FullName) {
  return defineTool({
    name: 'restore_prompt',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Restore prompt',
    description: "Restores an earlier version of one of the user's prompts, also of a deleted one.",
    searchHint: 'undo revert',
    phrases:
      'undo revert roll back bring back go back recover earlier version deleted prompt mistake accident accidentally older previous wording original again get back lost reset reinstate rescue retrieve saved text template edit threw away ruined messed oops yesterday',
    inputSchema: restoreInput as unknown as typeof acceptedRestoreInput,
    acceptedSchema: acceptedRestoreInput,
    outputSchema: savedSchema,
    annotations: hints.replaces,
    async call({ name: asked, revision, expected_revision }, context) {
      const name = await fullName(asked);
      const restored = await editor.restore(name, Number(revision), authorOf(context), expected_revision);
      return {
        structured: await saved(editor, `Restored prompt: ${name} to revision ${revision}`, restored),
      };
    },
  });
}

function messagesFrom(
  text: string | undefined,
  messages: readonly MessageDefinition[] | undefined,
): readonly MessageDefinition[] | undefined {
  if (text !== undefined && messages !== undefined)
    throw new Failure('invalid-params', 'Give the prompt as text or as messages, not as both.');
  return text === undefined ? messages : [{ role: 'user', content: { type: 'text', text } }];
}

/** What somebody means as an argument. Expressions of other template languages are text. */
const placeholder = /\{\{([\p{L}_][\p{L}\p{N}_-]*)\}\}/gu;

/** Required arguments for every `{{name}}`, as the command line declares them. `undefined` if there are none. */
function placeholdersIn(messages: readonly MessageDefinition[]): readonly ArgumentDefinition[] | undefined {
  const names = new Set<string>();
  for (const { content } of messages)
    for (const [, name] of content.type === 'text' ? content.text.matchAll(placeholder) : []) {
      names.add(name!);
      if (names.size > maxArguments)
        throw new Failure(
          'invalid-params',
          `The text has more than ${maxArguments} different placeholders. Declare the arguments.`,
        );
    }
  return names.size === 0 ? undefined : [...names].map((name) => ({ name, required: true }));
}

interface Fields {
  readonly name: string;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly arguments?: readonly ArgumentDefinition[] | null | undefined;
  readonly messages?: readonly MessageDefinition[] | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

/** Declares the placeholders of the text, unless the arguments are given. */
async function createPrompt(
  editor: Editor,
  fields: Fields & { readonly title: string; readonly messages: Messages },
  context: Context,
) {
  const { name, title, description, messages, tags } = fields;
  const declared = fields.arguments ?? placeholdersIn(messages);
  const draft = present({ name, title, description, arguments: declared, messages, tags });
  const created = await editor.create(draft, authorOf(context));
  return saved(editor, `Created prompt: ${name}`, created);
}

/** Declares the new placeholders of a new text, unless the arguments are given. */
async function updatePrompt(
  editor: Editor,
  fields: Fields & { readonly expected_revision?: string | null | undefined },
  context: Context,
) {
  const { name, title, description, messages, tags, expected_revision: expected } = fields;
  const used = messages && (await editor.withPlaceholders(name, placeholdersIn(messages)));
  const declared = fields.arguments ?? used;
  const changes = present({ title, description, arguments: declared, messages, tags });
  const updated = await editor.update(name, changes, authorOf(context), expected ?? undefined);
  return saved(editor, `Updated prompt: ${name}`, updated);
}

function done(verb: string, name: string) {
  return { success: true, message: `${verb} prompt: ${name}` };
}

/** The answer to a write: what lint says about the prompt, and how it reads. */
async function saved(editor: Editor, message: string, definition: PromptDefinition) {
  const { lintDefinition } = await import('../lint/lint.ts');
  const problems = await lintDefinition(definition);
  const args = Object.fromEntries(definition.arguments.map(({ name }) => [name, `<${name}>`]));
  const { messages } = await renderPrompt(definition, args, editor.own);
  const example = flatten(messages);
  const revision = await editor.revision(definition);
  return { success: true, message, revision, problems, ...(example.length <= maxExample && { example }) };
}

/** Clients may send null instead of omitting a field. */
const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const;

const optional = {
  description: orNull(descriptionSchema),
  arguments: orNull(argumentsSchema),
  tags: orNull(tagsSchema),
} as const;

const revisionField = { expected_revision: orNull(expectedRevisionSchema) } as const;

interface MethodOptions {
  /** True if the methods work like the tools: with `expected_revision`, and with the problems of a prompt in the answer. */
  readonly revisions: boolean;
}

/** Longer names are not found either; the document gives no limit. */
const anyName = { type: 'string', minLength: 1 } as const;

/** Custom methods, not part of the MCP specification, with which clients edit the user's prompts. */
export function createMethods(
  editor: Editor,
  { revisions }: MethodOptions,
): Readonly<Record<string, Method>> {
  // A contract without revisions ignores the field, whatever its value.
  const optionalRevision = revisions ? revisionField : ({} as typeof revisionField);
  return {
    'prompts/create': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['name', 'title', 'messages'],
        properties: {
          name: revisions ? nameSchema : jsonlNameSchema,
          title: titleSchema,
          messages: messagesSchema,
          ...optional,
        },
      },
      writes: true,
      async call(fields, context) {
        if (revisions) return createPrompt(editor, fields, context);
        const { name, title, messages, description, arguments: args, tags } = fields;
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
          name: anyName,
          title: orNull(titleSchema),
          messages: orNull(messagesSchema),
          ...optional,
          ...optionalRevision,
        },
      },
      writes: true,
      async call({ name, expected_revision, ...given }, context) {
        if (revisions) return updatePrompt(editor, { name, expected_revision, ...given }, context);
        const { title, messages, description, arguments: args, tags } = given;
        const changes: PromptChanges = present({ title, description, arguments: args, messages, tags });
        await editor.update(name, changes, authorOf(context));
        return done('Updated', name);
      },
    }),
    'prompts/delete': defineMethod({
      paramsSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: anyName, ...optionalRevision },
      },
      writes: true,
      async call({ name, expected_revision }, context) {
        await editor.delete(name, authorOf(context), (revisions && expected_revision) || undefined);
        return done('Deleted', name);
      },
    }),
  };
}

/** The client, and the token or OAuth subject unless the owner uses the client. */
export function authorOf({ actor, client: { name, version } }: Context): Author {
  return { name: isOwner(actor) ? name : `${name} (${actor.name})`, version };
}
