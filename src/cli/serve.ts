import type { LoadedConfig } from '../config.ts';
import { log, surviveUnhandledRejections } from '../log.ts';
import { serveStdio } from '../transports/stdio.ts';
import { answerEarly } from './early-answer.ts';
import { type Command, finish, stopped, type Terminal } from './terminal/command.ts';

const retryMs = 500;

export const serve: Command = {
  name: 'serve',
  summary: 'Serve MCP on stdio, or on HTTP with --http.',
  usage: 'serve [--http [--host HOST] [--port PORT]] [--contract NAME] [FLAGS]',
  flags: {
    http: {
      type: 'boolean',
      description: 'Serve MCP over HTTP at /mcp and the page at /, instead of stdio.',
    },
  },
  settings: [
    'contract',
    'home',
    'config',
    'toolsets',
    'tools',
    'exclude_tools',
    'read_only',
    'http.host',
    'http.port',
    'http.token_file',
    'http.allowed_hosts',
    'commands.dir',
    'jsonl.dir',
    'twig.dir',
    'prompts.watch',
    'max_message_bytes',
    'log_level',
  ],
  async run(loaded, terminal) {
    surviveUnhandledRejections();
    return loaded.flags['http'] === true ? overHttp(loaded, terminal) : overStdio(loaded, terminal);
  },
};

async function overStdio(loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { input, output } = terminal;
  const outputClosed = new Promise((resolve) => output.on('error', resolve));
  const isFirstAnswered = await answerEarly(loaded, input, output);
  const { createFullServer } = await loadFeatures();
  const server = createFullServer(loaded, terminal);
  const served = serveStdio(server, input, output, loaded.config.max_message_bytes, isFirstAnswered);
  const stop = stopped();
  await Promise.race([served, outputClosed, stop]);
  return finish(server.close(), stop);
}

/** Tries again while the process cannot open files: the client has its first answer and relies on the server. */
async function loadFeatures(): Promise<typeof import('./full-server.ts')> {
  for (;;)
    try {
      return await import('./full-server.ts');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
      log('error', 'the features could not be loaded; retrying', error);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
}

async function overHttp(loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { serveOverHttp } = await import('./serve-http.ts');
  return serveOverHttp(loaded, terminal);
}
