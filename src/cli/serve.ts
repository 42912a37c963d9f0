import type { LoadedConfig } from '../config.ts';
import { log, surviveUnhandledRejections } from '../log.ts';
import { serveStdio } from '../transports/stdio.ts';
import { answerEarly } from './early-answers.ts';
import { finish, single, stopped, toggle } from './terminal/command.ts';
import type { Terminal } from './terminal/terminal.ts';

const retryMs = 500;

export const serve = single('serve', {
  summary: 'Serve MCP on stdio, or with the page on HTTP',
  flags: { http: toggle('Serve MCP over HTTP at /mcp and the page at /, instead of stdio') },
  settings: ['http.port', 'http.host', 'http.token_file', 'home', 'contract', 'toolsets', 'read_only'],
  examples: ['serve --http', 'serve --http --port 8080'],
  async run({ loaded, terminal }) {
    surviveUnhandledRejections();
    return loaded.flags['http'] === true ? overHttp(loaded, terminal) : overStdio(loaded, terminal);
  },
});

async function overStdio(loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { input, output } = terminal;
  if (input.isTTY)
    terminal.hint(
      'Waiting for an MCP client on standard input. Clients start this command themselves: adjutant install connects one, and adjutant serve --http opens the page. Ctrl-C ends.\n',
    );
  const outputClosed = new Promise((resolve) => output.on('error', resolve));
  const opening = await answerEarly(loaded, input, output);
  const { createFullServer, deliverToDesktop } = await loadFeatures();
  const server = createFullServer(loaded, terminal);
  const served = serveStdio(server, input, output, loaded.config.max_message_bytes, opening);
  const endDelivery = deliverToDesktop(loaded, terminal);
  const stop = stopped();
  await Promise.race([served, outputClosed, stop]);
  return finish(Promise.all([server.close(), endDelivery()]), stop);
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
