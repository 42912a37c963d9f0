import { promises as disk } from 'node:fs';
import { constants } from 'node:os';
import type { Invocation } from '../agents/agent.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { agentEnvironment } from '../launch/environment.ts';
import { launch } from '../launch/launch.ts';
import { type ContainOptions, contain } from './containment.ts';
import { identify, isAlive, type ProcessIdentity } from './process-table.ts';

/** A running agent, started by this server or by another one. */
export interface AgentProcess {
  readonly identity: ProcessIdentity | undefined;
  /** Returns `undefined` while the process runs. Code and signal are known only for child processes of this server. */
  pollExit(): Promise<Exit | undefined>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly spawnError?: string;
}

/**
 * Starts the agent so that it survives this server: it gets its own session, writes its output to files, and reads the
 * prompt from an unlinked file, which no other process can open and which disappears when the agent exits.
 */
export async function startAgent(
  directory: RunDirectory,
  invocation: Invocation,
  { prompt, cwd, ...containment }: { readonly prompt: string; readonly cwd: string } & ContainOptions,
  env: Readonly<Record<string, string | undefined>>,
  onExit: () => void,
): Promise<AgentProcess> {
  const program = await contain(invocation, cwd, { ...containment, env });
  const promptFile = directory.file('.prompt');
  await disk.writeFile(promptFile, `${invocation.preamble ?? ''}${prompt}`, { mode: 0o600 });
  const input = await disk.open(promptFile, 'r');
  await disk.unlink(promptFile);
  const output = await disk.open(directory.file('events.jsonl'), 'a', 0o600);
  const errors = await disk.open(directory.file('stderr.log'), 'a', 0o600);
  try {
    const child = await launch(
      {
        command: program.command,
        args: program.args,
        cwd,
        env: agentEnvironment(env, invocation.env, directory.id),
      },
      { detached: true, stdio: [input.fd, output.fd, errors.fd] },
    );
    let exit: Exit | undefined;
    const recordExit = (result: Exit) => {
      exit ??= result;
      onExit();
    };
    child.once('error', (error) => recordExit({ code: null, signal: null, spawnError: error.message }));
    child.once('exit', (code, signal) =>
      recordExit(program === invocation ? { code, signal } : unwrapExit(code, signal)),
    );
    child.unref();
    return {
      identity: child.pid === undefined ? undefined : await identify(child.pid),
      pollExit: async () => exit,
    };
  } finally {
    await Promise.all([input.close(), output.close(), errors.close()]);
  }
}

/** The wrapper of an agent cannot end by the agent's signal, so it reports the signal in its exit code, as a shell does. */
function unwrapExit(code: number | null, signal: NodeJS.Signals | null): Exit {
  const ended = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return ended === undefined ? { code, signal } : { code: null, signal: ended[0] };
}

/** Follows a process that another server started. A missing identity means that the process has already exited. */
export function attachTo(identity: ProcessIdentity | undefined): AgentProcess {
  return {
    identity,
    pollExit: async () =>
      identity !== undefined && (await isAlive(identity)) ? undefined : { code: null, signal: null },
  };
}
