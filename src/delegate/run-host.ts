import { promises as disk } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { replaceFile } from '../atomic-file.ts';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject, type JsonSchema, messageOf, parseObject } from '../json.ts';
import { log, setLogFormat, setLogLevel, setLogRedaction } from '../log.ts';
import { readRegularFile } from '../regular-file.ts';
import { version } from '../version.ts';
import type { RunOrder } from './agents/protocols/approval.ts';
import { carryAutopilot, failAutopilot } from './autopilot/autopilot-host.ts';
import type { AutopilotRequest } from './autopilot/autopilot-request.ts';
import { hostFolder } from './process/folder-scope.ts';
import { loadSpawn } from './process/launch.ts';
import { AgentRunner, type PreparedRun } from './run/agent-runner.ts';
import { validateAnswer } from './run/answer.ts';
import {
  type HostMessage,
  type HostOrder,
  type HostRequest,
  type JobLabel,
  MessageSocket,
  type OrderMessage,
  orderFormat,
} from './run/host-message.ts';
import type { RunHooks, RunRequest } from './run/run-request.ts';
import { RunDirectory } from './workspace/run-directory.ts';

/** A server that is frozen can hold the lock of the queue. A run must not fail because of that. */
const lockTimeoutMs = 60_000;

/** Gives the agent time to start before this process uses the processor again. */
const preloadDelayMs = 50;
/** If there is no order after this time, this is a spare host, and has time to load what a run needs. */
const spareDelayMs = 20;

/**
 * A run host: a process that carries one run or autopilot from its order to its result. It survives the server that started
 * it, and any server of the same user can reach it through its socket. It ends with the run.
 */
class RunHost {
  readonly #cancellation = new AbortController();
  readonly #followers = new Set<MessageSocket<HostRequest, HostMessage>>();
  /** The conversations in progress: that of the run, or those of the jobs of an autopilot. */
  readonly #conversations = new Map<string, (order: RunOrder) => Promise<void>>();
  #isOrdered = false;

  /** Waits for the order of the server that started this process. Without an order there is nothing to do. */
  start(): void {
    // Standard error leads to the server, which may be gone.
    process.stderr.on('error', () => {});
    // By default Node prints the line of the error, which is the whole bundle.
    process.on('uncaughtException', (error) => {
      log('error', 'the run host failed', error);
      process.exit(1);
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (!this.#isOrdered) process.exit(0);
        this.#cancel(`the run host received ${signal}`);
      });
    setTimeout(() => {
      if (this.#isOrdered) return;
      void loadSpawn();
      void import('node:sqlite');
      void import('typebox/schema');
    }, spareDelayMs);
    const closed = this.#accept(new Socket({ fd: 3 }));
    void closed.then(() => {
      if (!this.#isOrdered) process.exit(0);
    });
  }

  /** Reports to a server until it closes the connection. */
  #accept(socket: Socket): Promise<void> {
    const messages = new MessageSocket<HostRequest, HostMessage>(socket, (message) => {
      if ('cancel' in message) this.#cancel(message.cancel);
      else if ('order' in message) void this.#execute(message).then((reply) => messages.send(reply));
      else void this.#carry(message, messages);
    });
    this.#followers.add(messages);
    return messages.closed.then(() => {
      this.#followers.delete(messages);
    });
  }

  #cancel(reason: string): void {
    this.#cancellation.abort(new Error(reason));
  }

  async #execute({ order, run }: OrderMessage): Promise<HostMessage> {
    try {
      const execute = this.#conversations.get(run);
      if (execute === undefined)
        throw new Failure(
          'refused',
          `Run ${run} has no conversation at the moment: its agent is starting or finishing.`,
        );
      await execute(order);
      return { kind: 'reply' };
    } catch (error) {
      return { kind: 'reply', problem: messageOf(error) };
    }
  }

  #send(message: HostMessage): void {
    for (const follower of this.#followers) follower.send(message, message.kind !== 'event');
  }

  async #carry(order: HostOrder, server: MessageSocket<HostRequest, HostMessage>): Promise<void> {
    // Only the server that started this process gives orders, and only one.
    if (this.#isOrdered) return;
    this.#isOrdered = true;
    if (order.format !== orderFormat) {
      const message = 'Adjutant was updated while this server was running. Restart the server.';
      this.#send({ kind: 'failure', message });
      return this.#exit();
    }
    await server.deliver({ kind: 'accepted' });
    setLogLevel(order.logLevel);
    setLogFormat(order.logFormat ?? 'text');
    const runner = new AgentRunner(order.options, lockTimeoutMs);
    setLogRedaction(runner.redact);
    const { path, id } = order.run;
    const directory = new RunDirectory(path, id, runner.redact);
    const listening = this.#listen(order, runner).catch((error: unknown) => {
      log('warning', `run ${id} cannot be reached through a socket`, error);
      return undefined;
    });
    let result: object;
    try {
      result = await this.#work(order, directory, runner);
    } catch (error) {
      log('error', `run ${id} failed`, error);
      result =
        order.work === 'run'
          ? await runner.refuse(directory, messageOf(error))
          : await failAutopilot(directory, runner, messageOf(error));
    }
    this.#send({ kind: 'result', result });
    const socket = await listening;
    if (socket !== undefined) await disk.rm(socket, { force: true });
    await this.#exit();
  }

  #work(
    { work, request, options }: HostOrder,
    directory: RunDirectory,
    runner: AgentRunner,
  ): Promise<object> {
    const hooksFor = (job?: JobLabel): RunHooks => ({
      signal: this.#cancellation.signal,
      onConversation: (id, execute) => {
        if (execute === undefined) this.#conversations.delete(id);
        else this.#conversations.set(id, execute);
      },
      onEvent: (event) => this.#send({ kind: 'event', event, ...(job && { job }) }),
      onState: (state) => {
        this.#send({ kind: 'state', state, ...(job && { job }) });
        // Load what the end of the run needs while the agent works.
        if (state === 'running') setTimeout(() => import('typebox/schema').catch(() => {}), preloadDelayMs);
      },
    });
    if (work === 'run') {
      const { request: run, prepared } = request as { request: RunRequest; prepared: PreparedRun };
      return runner.run({ ...run, directory }, hooksFor(), prepared);
    }
    return carryAutopilot({
      directory,
      runner,
      options,
      request: request as AutopilotRequest | undefined,
      signal: this.#cancellation.signal,
      listen: ({ id, title }) => ({
        ...hooksFor({ id, title }),
        finished: (status) => this.#send({ kind: 'job-finished', status, job: { id, title } }),
      }),
    });
  }

  async #listen({ run, options }: HostOrder, runner: AgentRunner): Promise<string> {
    const path = await createSocketPath(run.path, options.env);
    // A host that was killed leaves its socket behind.
    await disk.rm(path, { force: true });
    const server = createServer((socket) => void this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    (await runner.queue).recordSocket(run.path, path);
    return path;
  }

  async #exit(): Promise<void> {
    await Promise.all([...this.#followers].map((follower) => follower.end()));
    process.exit(0);
  }
}

const [mode, ...files] = process.argv.slice(2);
if (mode === 'run-host') new RunHost().start();
if (mode === 'finish-tool') void serveFinishTool(files[0]!, files[1]!);

/** Limit of the operating systems, minus the terminating zero: 104 bytes on macOS, 108 on Linux. */
const maxPathBytes = 103;

/**
 * Returns the path for the socket of a run host. Only the user can open it, because the folder has the mode 0700. On Windows
 * the path names a pipe.
 */
async function createSocketPath(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  // The name of a run directory is unique, because it ends in a random number.
  const name = basename(directory);
  if (process.platform === 'win32') return `\\\\.\\pipe\\adjutant-${name}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  const folders = [...(runtime ? [join(runtime, 'adjutant')] : []), hostFolder()];
  for (const folder of folders) {
    const path = join(folder, name);
    if (Buffer.byteLength(path) <= maxPathBytes && (await isPrivate(folder))) return path;
  }
  throw new Error(`none of these folders can hold a socket: ${folders.join(', ')}`);
}

/** Creates the folder, and checks that nobody else can use it. */
async function isPrivate(folder: string): Promise<boolean> {
  try {
    await disk.mkdir(folder, { mode: 0o700 }).catch(() => {});
    const stats = await disk.lstat(folder);
    return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/**
 * An MCP server with the tool `finish_run`, which agents that have no other structured output start: it checks the answer
 * against the schema of the run and writes it to a file.
 */
async function serveFinishTool(schemaFile: string, answerFile: string): Promise<void> {
  const schema = JSON.parse(await readRegularFile(schemaFile)) as JsonSchema;
  const finish = async (answer: unknown): Promise<JsonObject> => {
    const text = JSON.stringify(answer ?? {});
    const { problem } = await validateAnswer(text, schema);
    if (problem !== undefined)
      return toolResult(`The answer is invalid: ${problem}. Call the tool again.`, true);
    replaceFile(answerFile, text);
    return toolResult('The answer is recorded. End your turn now.', false);
  };
  const respond = (id: unknown, fields: JsonObject) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...fields })}\n`);
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params } = parseObject(line) ?? {};
    if (id === undefined) return;
    const given = isObject(params) ? params : {};
    switch (method) {
      case 'initialize':
        return respond(id, {
          result: {
            protocolVersion: String(given['protocolVersion'] ?? '2025-06-18'),
            capabilities: { tools: {} },
            serverInfo: { name: 'adjutant_run', version },
          },
        });
      case 'tools/list':
        return respond(id, { result: { tools: [finishTool(schema)] } });
      case 'tools/call':
        return respond(id, { result: await finish(given['arguments']) });
      case 'ping':
        return respond(id, { result: {} });
      default:
        return respond(id, { error: { code: -32601, message: `Unknown method ${method}` } });
    }
  });
}

function finishTool(schema: JsonSchema): JsonObject {
  return {
    name: 'finish_run',
    description: 'Records the final answer of this task. Call it once, as the last step.',
    inputSchema: schema as JsonObject,
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  };
}

function toolResult(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}
