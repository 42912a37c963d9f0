import { maxArguments } from '../definition/prompt-fields.ts';
/** Schemas of the fields of a prompt, shared by methods and tools. */

export const nameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_][A-Za-z0-9_-]*$',
  description: 'Letters, digits, underscores, hyphens',
} as const;

/** The document of the contract `jsonl` allows no hyphens. */
export const jsonlNameSchema = {
  ...nameSchema,
  pattern: '^[A-Za-z0-9_]+$',
  description: 'Letters, digits, underscores',
} as const;

/** The name of an existing prompt, which may contain any characters. */
export const knownNameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Prompt name',
} as const;

/** Prevents a change from overwriting another change that its author has not seen. */
export const expectedRevisionSchema = {
  type: 'string',
  minLength: 1,
  description: 'From show_prompt; fails if changed since',
} as const;

export const titleSchema = { type: 'string', minLength: 1, description: 'Display name' } as const;
export const descriptionSchema = { type: 'string', description: 'What the prompt is for' } as const;

export const argumentsSchema = {
  type: 'array',
  maxItems: maxArguments,
  description: 'Variables of the text',
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      description: { type: 'string' },
      required: { type: 'boolean' },
      default: { type: 'string' },
      values: { type: 'array', items: { type: 'string' }, description: 'Suggested values' },
      files: { type: 'boolean', description: 'Value is a file path' },
    },
  },
} as const;

const address = { uri: { type: 'string' }, mimeType: { type: 'string' } } as const;

export const messagesSchema = {
  type: 'array',
  minItems: 1,
  description: 'The messages of the prompt, in order',
  items: {
    type: 'object',
    required: ['role', 'content'],
    properties: {
      role: { type: 'string', enum: ['user', 'assistant'] },
      content: {
        anyOf: [
          {
            type: 'object',
            required: ['type', 'text'],
            properties: { type: { const: 'text' }, text: { type: 'string' } },
          },
          {
            type: 'object',
            required: ['type', 'data', 'mimeType'],
            properties: {
              type: { enum: ['image', 'audio'] },
              data: { type: 'string' },
              mimeType: { type: 'string' },
            },
          },
          {
            type: 'object',
            required: ['type', 'resource'],
            properties: {
              type: { const: 'resource' },
              resource: {
                anyOf: [
                  {
                    type: 'object',
                    required: ['uri', 'text'],
                    properties: { ...address, text: { type: 'string' } },
                  },
                  {
                    type: 'object',
                    required: ['uri', 'blob'],
                    properties: { ...address, blob: { type: 'string' } },
                  },
                ],
              },
            },
          },
        ],
      },
    },
  },
} as const;

/** What tool lists announce instead of `messagesSchema`, whose alternatives take three times the space. */
export const announcedMessages = {
  type: 'array',
  description: 'Instead of text, in order',
  items: {
    type: 'object',
    required: ['role', 'content'],
    properties: {
      role: { type: 'string', enum: ['user', 'assistant'] },
      content: {
        type: 'object',
        required: ['type'],
        description: 'MCP content',
        properties: {
          type: { type: 'string' },
          text: { type: 'string' },
        },
      },
    },
  },
} as const;

const linkSchema = {
  type: 'object',
  required: ['type', 'uri', 'name'],
  properties: {
    type: { const: 'resource_link' },
    ...address,
    name: { type: 'string' },
    description: { type: 'string' },
  },
} as const;

const messageSchema = messagesSchema.items;

/** A message as stored in a source, which may also link to a file of its library. */
export const storedMessageSchema = {
  ...messageSchema,
  properties: {
    ...messageSchema.properties,
    content: { anyOf: [...messageSchema.properties.content.anyOf, linkSchema] },
  },
} as const;

export const tagsSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Words to find it by',
} as const;
