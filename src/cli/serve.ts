import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type LoadedConfig, mayHaveSkills } from '../config.ts';
import { initializeResult } from '../contracts/contract.ts';
import { instructionsFor } from '../contracts/instructions.ts';
import { legacyVersions, standard } from '../contracts/standard.ts';
import { classify, resultMessage } from '../engine/message.ts';
import { claimedVersion } from '../engine/modern.ts';
import { checkNames } from '../engine/request-limits.ts';
import { extensions } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import { log, surviveUnhandledRejections } from '../log.ts';
import { Deframer, frame } from '../transports/framing.ts';
import { type Output, serveStdio } from '../transports/stdio.ts';
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
  const isFirstAnswered = await answerEarly(loaded, input, output);
  const { createFullServer, deliverToDesktop } = await loadFeatures();
  const server = createFullServer(loaded, terminal);
  const served = serveStdio(server, input, output, loaded.config.max_message_bytes, isFirstAnswered);
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

/** A client that has sent nothing by then will not notice the time that the features take to load. */
const maxWaitMs = 100;

/** The settings that decide which tools a client can use, and thereby what `initialize` returns. */
const deciding = ['contract', 'toolsets', 'tools', 'exclude_tools', 'read_only'] as const;

/**
 * Answers `initialize` if it is the first message, before the features are loaded: they take longer than all the rest of the start.
 * The message stays in the input, because the server needs it too. True if it was answered.
 */
export async function answerEarly(loaded: LoadedConfig, input: Readable, output: Output): Promise<boolean> {
  if (deciding.some((setting) => loaded.origins[setting] !== 'default')) return false;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), maxWaitMs);
  const [chunk] = (await once(input, 'data', { signal: waiting.signal }).catch(() => [])) as [Buffer?];
  clearTimeout(timer);
  input.pause();
  if (chunk === undefined) return false;
  input.unshift(chunk);
  const text = earlyReply(chunk, loaded);
  if (text !== undefined) output.write(text);
  return text !== undefined;
}

/** `undefined` if the first message is not complete, or is not an ordinary `initialize`. */
function earlyReply(chunk: Buffer, { config }: LoadedConfig): string | undefined {
  const deframer = new Deframer(config.max_message_bytes);
  const [first] = deframer.push(chunk);
  const incoming = first?.kind === 'message' ? classify(first.value) : undefined;
  if (incoming?.kind !== 'request' || incoming.request.method !== 'initialize') return undefined;
  const { id, params, issue } = incoming.request;
  const { protocolVersion, clientInfo } = params;
  const isOrdinary =
    issue === undefined &&
    legacyVersions.some((known) => known === protocolVersion) &&
    claimedVersion(params) === undefined &&
    isObject(clientInfo) &&
    checkNames(incoming.request, config.max_name_length) === undefined;
  if (!isOrdinary) return undefined;
  const instructions = instructionsFor({ has: () => true });
  const result = initializeResult(standard, capabilitiesOf(config), instructions, params as JsonObject);
  return frame(resultMessage(id, result), deframer.framing);
}

/** The capabilities of a server whose clients can use every tool. */
function capabilitiesOf(config: LoadedConfig['config']): JsonObject {
  return standard.capabilities({
    tools: true,
    prompts: true,
    resources: true,
    completions: true,
    extensions: {
      ...extensions.prompts,
      ...extensions.delegate,
      ...(mayHaveSkills(config) && extensions.skills),
      ...extensions.apps,
    },
  });
}
