import { promises as disk } from 'node:fs';
import type { Invocation } from '../agents/agent.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { identify, isAlive, type ProcessIdentity, runMarker } from './process-table.ts';

/** A process to be followed, whether or not it is a child of ours. */
export interface AgentProcess {
  readonly identity: ProcessIdentity | undefined;
  /** The exit, once it is gone; without particulars where it was not our child. */
  gone(): Promise<Exit | undefined>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly spawnError?: string;
}

/**
 * Starts the agent so that it needs nobody: a session of its own, its output in files, the prompt in a file without a
 * name, which no other reader finds and which is gone with the process.
 */
export async function startAgent(
  directory: RunDirectory,
  invocation: Invocation,
  { prompt, cwd }: { readonly prompt: string; readonly cwd: string },
  env: Readonly<Record<string, string | undefined>>,
  onExit: () => void,
): Promise<AgentProcess> {
  const { spawn } = await import('node:child_process');
  const promptFile = directory.file('.prompt');
  await disk.writeFile(promptFile, `${invocation.preamble ?? ''}${prompt}`, { mode: 0o600 });
  const input = await disk.open(promptFile, 'r');
  await disk.unlink(promptFile);
  const output = await disk.open(directory.file('events.jsonl'), 'a', 0o600);
  const errors = await disk.open(directory.file('stderr.log'), 'a', 0o600);
  try {
    const child = spawn(invocation.command, invocation.args, {
      cwd,
      env: { ...env, ...invocation.env, [runMarker]: directory.id },
      detached: true,
      stdio: [input.fd, output.fd, errors.fd],
    });
    let exit: Exit | undefined;
    const end = (seen: Exit) => {
      exit ??= seen;
      onExit();
    };
    child.once('error', (error) => end({ code: null, signal: null, spawnError: error.message }));
    child.once('exit', (code, signal) => end({ code, signal }));
    child.unref();
    return {
      identity: child.pid === undefined ? undefined : await identify(child.pid),
      gone: async () => exit,
    };
  } finally {
    await Promise.all([input.close(), output.close(), errors.close()]);
  }
}

/** A process that another server started; absent when it is gone already. */
export function attachTo(identity: ProcessIdentity | undefined): AgentProcess {
  return {
    identity,
    gone: async () =>
      identity !== undefined && (await isAlive(identity)) ? undefined : { code: null, signal: null },
  };
}
