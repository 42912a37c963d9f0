// Serves the sample with our engine.
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { Failure } from '../../src/failure.ts';
import type { Feature } from '../../src/feature.ts';
import { defineBareTool } from '../../src/tool.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { addInput, addOutput, greet, names, noArguments, note, question, server } from './sample.ts';

const sample: Feature = {
  name: 'sample',
  tools: [
    defineBareTool({
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: addInput,
      outputSchema: addOutput,
      call: async ({ a, b }) => ({ structured: { sum: a + b } }),
    }),
    defineBareTool({
      name: 'fail',
      description: 'Always fails.',
      inputSchema: noArguments,
      call() {
        throw new Failure('tool-failed', 'It failed.');
      },
    }),
    defineBareTool({
      name: 'report',
      description: 'Reports progress.',
      inputSchema: noArguments,
      async call(_, context) {
        context.progress(1, 2, 'half');
        context.progress(2, 2);
        return { content: [{ type: 'text', text: 'done' }] };
      },
    }),
    defineBareTool({
      name: 'ask',
      description: 'Asks for a name.',
      inputSchema: noArguments,
      async call(_, context) {
        const { name } = await context.ask({ name: { method: 'elicitation/create', params: question } });
        return { content: [{ type: 'text', text: JSON.stringify(name?.['content']) }] };
      },
    }),
  ],
  prompts: {
    list: async () => [
      {
        name: 'greet',
        description: 'Greets somebody.',
        arguments: [{ name: 'name', description: 'Whom', required: true }],
      },
    ],
    async get(name, args) {
      if (name !== 'greet') throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
      if (typeof args['name'] !== 'string') throw new Failure('missing-argument', 'name is required');
      return { messages: [{ role: 'user', content: { type: 'text', text: greet(args['name']) } }] };
    },
    complete: async (name, _, value) =>
      name === 'greet' ? names.filter((one) => one.startsWith(value)) : undefined,
  },
  resources: {
    list: async () => [{ uri: note.uri, name: note.name, mimeType: note.mimeType }],
    templates: [{ uriTemplate: 'note://{id}', name: 'notes', mimeType: note.mimeType }],
    read: async (uri) => (uri === note.uri ? [{ uri, mimeType: note.mimeType, text: note.text }] : undefined),
  },
};

const engine = new Server({ contract: { ...standard, server }, features: [sample] });
await serveStdio(engine, process.stdin, process.stdout, 1024 * 1024);
