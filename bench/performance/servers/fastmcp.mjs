// A minimal server on FastMCP, with one tool and one prompt. Arguments: the module, and `http` with a port.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, transport, port] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { FastMCP } = await load('fastmcp');
const { z } = await load('zod');

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
server.addTool({
  name: 'expand_prompt',
  description: 'Expands a prompt.',
  parameters: z.object({ command: z.string().optional(), input: z.string() }),
  execute: async ({ input }) => `Do ${input}, 7 times.`,
});
server.addPrompt({
  name: 'command-7',
  description: 'A command.',
  arguments: [{ name: 'input', required: true }],
  load: async ({ input }) => `Do ${input}, 7 times.`,
});
if (transport === 'http') {
  await server.start({ transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1' } });
  console.error(`http://127.0.0.1:${port}/mcp`);
} else await server.start({ transportType: 'stdio' });
