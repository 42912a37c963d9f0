import { promises as disk } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Invocation } from '../agents/agent.ts';
import type { Program } from '../process/containment.ts';
import { agentEnvironment } from '../process/environment.ts';
import { launch } from '../process/launch.ts';
import { identify, type ProcessIdentity } from '../process/process-table.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';

/** A running agent. */
export interface AgentProcess {
  readonly identity: ProcessIdentity | undefined;
  /** Set when the process has exited. */
  readonly exit: Exit | undefined;
  /** The standard input and output of an agent that was started as a conversation. */
  readonly streams?: { readonly input: Writable; readonly output: Readable };
}

/** The command of an agent, and the program around it that keeps its processes together. */
export interface ContainedAgent {
  readonly invocation: Invocation;
  readonly program: Program;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly spawnError?: string;
}

interface Start {
  readonly directory: RunDirectory;
  readonly agent: ContainedAgent;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onExit: () => void;
}

/**
 * Starts an agent that runs one task to completion, in its own session. It writes its output to files, so that nothing is lost
 * if the run host is killed, and reads the prompt from an unlinked file, which no other process can open and which disappears
 * when the agent exits.
 */
export async function startAgent(start: Start, prompt: string): Promise<AgentProcess> {
  const { directory } = start;
  const promptFile = directory.file('.prompt');
  await disk.writeFile(promptFile, prompt, { mode: 0o600 });
  const input = await disk.open(promptFile, 'r');
  await disk.unlink(promptFile);
  const output = await disk.open(directory.file('events.jsonl'), 'a', 0o600);
  try {
    return await spawnAgent(start, [input.fd, output.fd]);
  } finally {
    await Promise.all([input.close(), output.close()]);
  }
}

/** Starts an agent with which the run host exchanges messages. It ends with the host. */
export function startPiped(start: Start): Promise<AgentProcess> {
  return spawnAgent(start, ['pipe', 'pipe']);
}

async function spawnAgent(
  { directory, agent: { invocation, program }, cwd, env, onExit }: Start,
  stdio: readonly [number, number] | readonly ['pipe', 'pipe'],
): Promise<AgentProcess> {
  const errors = await disk.open(directory.file('stderr.log'), 'a', 0o600);
  try {
    const child = await launch(
      {
        command: program.command,
        args: program.args,
        cwd,
        env: agentEnvironment(env, invocation.env, directory.id, invocation.withoutVariables),
      },
      { detached: true, stdio: [...stdio, errors.fd] },
    );
    let exit: Exit | undefined;
    const recordExit = (result: Exit) => {
      exit ??= result;
      onExit();
    };
    child.once('error', (error) => recordExit({ code: null, signal: null, spawnError: error.message }));
    child.once('exit', (code, signal) =>
      recordExit(program.command === invocation.command ? { code, signal } : unwrapExit(code, signal)),
    );
    return {
      identity: child.pid === undefined ? undefined : await identify(child.pid),
      get exit() {
        return exit;
      },
      ...(child.stdin && child.stdout && { streams: { input: child.stdin, output: child.stdout } }),
    };
  } finally {
    await errors.close();
  }
}

/** The wrapper of an agent cannot end by the agent's signal, so it reports the signal in its exit code, as a shell does. */
function unwrapExit(code: number | null, signal: NodeJS.Signals | null): Exit {
  const ended = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return ended === undefined ? { code, signal } : { code: null, signal: ended[0] };
}
