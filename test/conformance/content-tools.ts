import { Failure } from '../../src/failure.ts';
import { defineBareTool, type Tool } from '../../src/tool.ts';
import { pixel, say, silence, text } from './samples.ts';

const noArguments = { type: 'object', properties: {} } as const;

/** Tools that return each kind of content and each kind of result. */
export const contentTools: readonly Tool[] = [
  defineBareTool({
    name: 'test_simple_text',
    description: 'Answers with text.',
    inputSchema: noArguments,
    call: async () => say('This is a simple text response for testing.'),
  }),
  defineBareTool({
    name: 'test_image_content',
    description: 'Answers with an image.',
    inputSchema: noArguments,
    call: async () => ({ content: [pixel] }),
  }),
  defineBareTool({
    name: 'test_audio_content',
    description: 'Answers with audio.',
    inputSchema: noArguments,
    call: async () => ({ content: [silence] }),
  }),
  defineBareTool({
    name: 'test_embedded_resource',
    description: 'Answers with an embedded resource.',
    inputSchema: noArguments,
    call: async () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  }),
  defineBareTool({
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource.',
    inputSchema: noArguments,
    call: async () => ({
      content: [
        text('Multiple content types test:'),
        pixel,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  }),
  defineBareTool({
    name: 'test_error_handling',
    description: 'Always fails.',
    inputSchema: noArguments,
    call() {
      throw new Failure('tool-failed', 'This tool intentionally returns an error for testing');
    },
  }),
  defineBareTool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes arguments whose schema uses many keywords of JSON Schema 2020-12.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    call: async (args) => say(`Arguments: ${JSON.stringify(args)}`),
  }),
  defineBareTool({
    name: 'test_header_parameter',
    description: 'Takes an argument that HTTP requests repeat in a header.',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    },
    call: async ({ region }) => say(`Region: ${region}`),
  }),
];
