import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type LoadedConfig, mayHaveSkills } from '../config.ts';
import { showsApps } from '../contracts/app-views.ts';
import { initializeResult } from '../contracts/contract.ts';
import { instructionsFor } from '../contracts/instructions.ts';
import { legacyVersions, standard } from '../contracts/standard.ts';
import { classify, type RequestMessage, resultMessage } from '../engine/message.ts';
import { claimedVersion } from '../engine/modern.ts';
import { checkNames } from '../engine/request-limits.ts';
import { extensions } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { Deframer, frame, frameText } from '../transports/framing.ts';
import type { Opening, Output } from '../transports/stdio.ts';

/** A client that has sent nothing by then will not notice the time that the features take to load. */
const firstWaitMs = 100;
/** Most clients ask for the list of tools as soon as they have the answer to `initialize`. */
const nextWaitMs = 20;

/** The settings that decide which tools a client can use, and thereby what `initialize` and `tools/list` return. */
export const deciding = ['contract', 'toolsets', 'tools', 'exclude_tools', 'read_only'] as const;

/** The list of tools before anybody uses the calendar, and with people. The build asks a server for both. */
const listFiles = { false: 'tools-list.json', true: 'tools-list-with-people.json' } as const;

/**
 * Answers `initialize`, and the request for the list of tools after it, before the features are loaded: they take longer than all
 * the rest of the start. The server gets the messages too, and leaves out the replies that were sent.
 */
export async function answerEarly(
  loaded: LoadedConfig,
  input: Readable,
  output: Output,
  folder = import.meta.dirname,
): Promise<Opening> {
  const chunks: Buffer[] = [];
  const answered = new Set<string | number>();
  const opening = { chunks, answered };
  if (deciding.some((setting) => loaded.origins[setting] !== 'default')) return opening;
  const deframer = new Deframer(loaded.config.max_message_bytes);
  let tools: string | undefined;
  for (let waitMs = firstWaitMs; ; waitMs = nextWaitMs) {
    const chunk = await nextChunk(input, waitMs);
    if (chunk === undefined) return opening;
    chunks.push(chunk);
    for (const one of deframer.push(chunk)) {
      const incoming = one.kind === 'message' ? classify(one.value) : undefined;
      if (answered.size > 0 && incoming?.kind === 'notification') continue;
      if (incoming?.kind !== 'request') return opening;
      const { request } = incoming;
      const { id } = request;
      if (answered.size > 0) {
        if (!isFirstList(request) || answered.has(id)) return opening;
        const reply = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${tools}}`;
        output.write(frameText(reply, deframer.framing));
        answered.add(id);
        return opening;
      }
      const result = earlyResult(request, loaded);
      if (result === undefined) return opening;
      output.write(frame(resultMessage(id, result), deframer.framing));
      answered.add(id);
      // Meanwhile the client reads the reply.
      tools = await listOfTools(loaded, request.params, folder);
      if (tools === undefined) return opening;
    }
  }
}

/** The next bytes, or `undefined` if none come in time. */
function nextChunk(input: Readable, waitMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const finish = (chunk?: Buffer) => {
      clearTimeout(timer);
      input.off('data', finish).off('end', end).pause();
      resolve(chunk);
    };
    const end = () => finish();
    const timer = setTimeout(end, waitMs);
    input.on('data', finish).on('end', end).resume();
  });
}

/** `undefined` if the first message is not an ordinary `initialize`. */
function earlyResult(request: RequestMessage, { config }: LoadedConfig): JsonObject | undefined {
  const { method, params, issue } = request;
  const { protocolVersion, clientInfo } = params;
  const isOrdinary =
    method === 'initialize' &&
    issue === undefined &&
    legacyVersions.some((known) => known === protocolVersion) &&
    claimedVersion(params) === undefined &&
    isObject(clientInfo) &&
    checkNames(request, config.max_name_length) === undefined;
  if (!isOrdinary) return undefined;
  const instructions = instructionsFor({ has: () => true });
  return initializeResult(standard, capabilitiesOf(config), instructions, params as JsonObject);
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

/** True for the first page of the list of tools. */
function isFirstList({ method, params, issue }: RequestMessage): boolean {
  const isFirst = (params['cursor'] ?? '') === '' && claimedVersion(params) === undefined;
  return method === 'tools/list' && issue === undefined && isFirst;
}

/** The text of the result, or `undefined` if only the server can say which tools it lists. */
async function listOfTools(
  { config, origins }: LoadedConfig,
  { capabilities }: RequestMessage['params'],
  folder: string,
): Promise<string | undefined> {
  if (
    origins['assistant.database_url'] !== 'default' ||
    showsApps(isObject(capabilities) ? capabilities : {})
  )
    return undefined;
  try {
    const file = listFiles[`${await hasPeople(config['assistant.database_url'])}`];
    return readRegularFileSync(join(folder, file));
  } catch {
    // The database is damaged or not readable, which the server reports, or the program was not built.
    return undefined;
  }
}

async function hasPeople(database: string): Promise<boolean> {
  return existsSync(database) && (await import('../store/has-users.ts')).hasUsers(database);
}
