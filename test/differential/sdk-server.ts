// Serves the sample with the official SDK.
import { importComponent } from '../components.ts';
import { addInput, addOutput, greet, names, noArguments, note, question, server } from './sample.ts';

interface Sdk {
  readonly McpServer: new (info: object, options: object) => Mcp;
  readonly ResourceTemplate: new (uri: string, options: object) => object;
  fromJsonSchema(schema: object): object;
  completable(schema: object, complete: (value: string) => readonly string[]): object;
  inputRequired: ((spec: object) => object) & { elicit(params: object): object };
  serveStdio(factory: () => Mcp): void;
}
interface Mcp {
  registerTool(name: string, config: object, call: (...args: readonly never[]) => unknown): void;
  registerPrompt(name: string, config: object, get: (args: { name: string }) => object): void;
  registerResource(name: string, uri: unknown, config: object, read: (uri: URL) => object): void;
}
interface RequestContext {
  readonly mcpReq: {
    readonly _meta?: { readonly progressToken?: string | number };
    readonly inputResponses?: Readonly<Record<string, { content?: unknown }>>;
    notify(notification: object): Promise<void>;
  };
}

const modules = ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'];
const [core, stdio] = await Promise.all(modules.map(importComponent));
const sdk = { ...core, ...stdio } as unknown as Sdk;
const { z } = (await importComponent('zod')) as unknown as {
  z: { object(shape: object): object; string(): { describe(text: string): object } };
};

function createServer(): Mcp {
  const mcp = new sdk.McpServer(server, { capabilities: { logging: {} } });
  mcp.registerTool(
    'add',
    {
      description: 'Adds two numbers.',
      inputSchema: sdk.fromJsonSchema(addInput),
      outputSchema: sdk.fromJsonSchema(addOutput),
    },
    ({ a, b }: { a: number; b: number }) => {
      const structuredContent = { sum: a + b };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  mcp.registerTool(
    'fail',
    { description: 'Always fails.', inputSchema: sdk.fromJsonSchema(noArguments) },
    () => {
      throw new Error('It failed.');
    },
  );
  mcp.registerTool(
    'report',
    { description: 'Reports progress.', inputSchema: sdk.fromJsonSchema(noArguments) },
    async (_: object, { mcpReq }: RequestContext) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const params of [
        { progress: 1, total: 2, message: 'half' },
        { progress: 2, total: 2 },
      ]) {
        if (progressToken !== undefined)
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...params } });
      }
      return { content: [{ type: 'text', text: 'done' }] };
    },
  );
  mcp.registerTool(
    'ask',
    { description: 'Asks for a name.', inputSchema: sdk.fromJsonSchema(noArguments) },
    (_: object, { mcpReq }: RequestContext) => {
      const answer = mcpReq.inputResponses?.['name'];
      if (answer === undefined)
        return sdk.inputRequired({ inputRequests: { name: sdk.inputRequired.elicit(question) } });
      return { content: [{ type: 'text', text: JSON.stringify(answer.content) }] };
    },
  );
  mcp.registerPrompt(
    'greet',
    {
      description: 'Greets somebody.',
      argsSchema: z.object({
        name: sdk.completable(z.string().describe('Whom'), (value) =>
          names.filter((one) => one.startsWith(value)),
        ),
      }),
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: greet(name) } }] }),
  );
  mcp.registerResource(note.name, note.uri, { mimeType: note.mimeType }, ({ href }) => ({
    contents: [{ uri: href, mimeType: note.mimeType, text: note.text }],
  }));
  mcp.registerResource(
    'notes',
    new sdk.ResourceTemplate('note://{id}', { list: undefined }),
    { mimeType: note.mimeType },
    () => {
      throw Object.assign(new Error('Resource not found'), { code: -32002 });
    },
  );
  return mcp;
}

sdk.serveStdio(createServer);
