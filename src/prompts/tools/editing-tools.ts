import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { anyObject, defineTool, type ToolAnnotations } from '../../tool.ts';
import type { Editor } from '../catalog/editor.ts';
import type { MessageDefinition } from '../definition/definition.ts';
import { authorOf } from './methods.ts';
import {
  argumentsSchema,
  descriptionSchema,
  expectedRevisionSchema,
  knownNameSchema,
  messagesSchema,
  nameSchema,
  storedMessageSchema,
  tagsSchema,
  titleSchema,
} from './prompt-schemas.ts';

const textSchema = {
  type: 'string',
  description: 'The prompt as one message of the user; {{name}} stands for an argument',
} as const;

const fields = {
  description: descriptionSchema,
  arguments: argumentsSchema,
  text: textSchema,
  messages: { ...messagesSchema, description: 'Instead of text: several messages, in order' },
  tags: tagsSchema,
} as const;

const promptRecord = {
  type: 'object',
  required: ['name', 'title', 'messages'],
  properties: {
    name: nameSchema,
    title: titleSchema,
    description: descriptionSchema,
    arguments: argumentsSchema,
    messages: { type: 'array', items: storedMessageSchema },
    tags: tagsSchema,
  },
} as const;

const doneSchema = {
  type: 'object',
  required: ['success', 'message'],
  properties: { success: { type: 'boolean' }, message: { type: 'string' } },
} as const;

const savedSchema = {
  type: 'object',
  required: ['success', 'message', 'revision'],
  properties: { ...doneSchema.properties, revision: { type: 'string', description: 'Its revision now' } },
} as const;

/** Counts as destructive although the history keeps the old version: clients no longer get it. */
const destructiveEdit: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** Tools to edit the user's own prompts, for clients that cannot call custom methods. */
export function createEditingTools(editor: Editor) {
  return [
    createCreateTool(editor),
    createUpdateTool(editor),
    createDeleteTool(editor),
    createHistoryTool(editor),
    createRestoreTool(editor),
  ];
}

function createCreateTool(editor: Editor) {
  return defineTool({
    name: 'create_prompt',
    title: 'Create prompt',
    description:
      'Saves a new prompt of the user. Give its content as text, or as messages where it has several.',
    inputSchema: {
      type: 'object',
      required: ['name', 'title'],
      properties: { name: nameSchema, title: titleSchema, ...fields },
    },
    outputSchema: savedSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async call({ name, title, description, arguments: args, tags, text, messages }, context) {
      const content = messagesFrom(text, messages);
      if (content === undefined)
        throw new Failure('invalid-params', 'Give the prompt as text or as messages.');
      const draft = present({ name, title, description, arguments: args, messages: content, tags });
      const created = await editor.create(draft, authorOf(context));
      return saved(`Created prompt: ${name}`, await editor.revision(created));
    },
  });
}

function createUpdateTool(editor: Editor) {
  return defineTool({
    name: 'update_prompt',
    title: 'Update prompt',
    description:
      'Changes a prompt of the user. A field that is not given stays, one that is given replaces what was there, an empty list clears it. prompt_history keeps what was there before.',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: {
        name: knownNameSchema,
        title: titleSchema,
        ...fields,
        expected_revision: expectedRevisionSchema,
      },
    },
    outputSchema: savedSchema,
    annotations: destructiveEdit,
    async call({ name, text, messages, expected_revision, ...given }, context) {
      const { title, description, arguments: args, tags } = given;
      const content = messagesFrom(text, messages);
      const changes = present({ title, description, arguments: args, messages: content, tags });
      const updated = await editor.update(name, changes, authorOf(context), expected_revision);
      return saved(`Updated prompt: ${name}`, await editor.revision(updated));
    },
  });
}

function createDeleteTool(editor: Editor) {
  return defineTool({
    name: 'delete_prompt',
    title: 'Delete prompt',
    description: 'Deletes a prompt of the user. It can be brought back with restore_prompt.',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: { name: knownNameSchema, expected_revision: expectedRevisionSchema },
    },
    outputSchema: doneSchema,
    annotations: destructiveEdit,
    async call({ name, expected_revision }, context) {
      await editor.delete(name, authorOf(context), expected_revision);
      return done(`Deleted prompt: ${name}`);
    },
  });
}

function createHistoryTool(editor: Editor) {
  return defineTool({
    name: 'prompt_history',
    title: 'Prompt history',
    description:
      'Every version of a prompt of the user, oldest first: when it was made, by which client, and what it was.',
    inputSchema: { type: 'object', required: ['name'], properties: { name: knownNameSchema } },
    outputSchema: {
      type: 'object',
      required: ['name', 'revisions'],
      properties: {
        name: { type: 'string' },
        revisions: {
          type: 'array',
          items: {
            type: 'object',
            required: ['revision', 'action', 'time', 'client'],
            properties: {
              revision: { type: 'integer' },
              action: { enum: ['create', 'update', 'delete', 'restore', 'outside'] },
              time: { type: 'string' },
              client: {
                type: 'object',
                properties: { name: { type: 'string' }, version: { type: 'string' } },
              },
              prompt: anyObject(promptRecord),
              restored: { type: 'integer' },
            },
          },
        },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call({ name }) {
      return { structured: { name, revisions: await editor.history(name) } };
    },
  });
}

function createRestoreTool(editor: Editor) {
  return defineTool({
    name: 'restore_prompt',
    title: 'Restore prompt',
    description:
      'Brings a prompt of the user back to one of its revisions, deleted ones too. This is a new revision itself.',
    inputSchema: {
      type: 'object',
      required: ['name', 'revision'],
      properties: {
        name: knownNameSchema,
        revision: { type: 'integer', minimum: 1, description: 'Number from prompt_history' },
        expected_revision: expectedRevisionSchema,
      },
    },
    outputSchema: savedSchema,
    annotations: destructiveEdit,
    async call({ name, revision, expected_revision }, context) {
      const restored = await editor.restore(name, revision, authorOf(context), expected_revision);
      return saved(`Restored prompt: ${name} to revision ${revision}`, await editor.revision(restored));
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

function done(message: string) {
  return { structured: { success: true, message } };
}

function saved(message: string, revision: string) {
  return { structured: { success: true, message, revision } };
}
