// Separate from containment.ts, because the settings need these names at the start of the program.

/**
 * How the processes of an agent are kept together, so that none of them outlives the run:
 * - `namespace`: the agent runs in its own pid namespace. When it exits, the kernel ends all other processes in it.
 * - `subreaper`: orphaned processes become children of a small program, which ends them after the agent.
 * - `none`: processes are only found through their parents and the marker in their environment.
 */
export const containments = ['namespace', 'subreaper', 'none'] as const;
export type Containment = (typeof containments)[number];
