import { join } from 'node:path';

/** A step of the scripted agent. */
export type Step =
  | { readonly begin: true }
  | { readonly emit: object }
  | { readonly raw: string }
  | { readonly stderr: string }
  | { readonly wait: number }
  | { readonly hang: true }
  /** Waits until the file exists. */
  | { readonly until: string }
  | { readonly ignoreSignals: true }
  | { readonly child: string }
  | { readonly command: string }
  | { readonly flood: number }
  | { readonly file: { readonly path: string; readonly text: string } }
  | { readonly message: string }
  | { readonly usage: object }
  | { readonly fail: string }
  | { readonly answer: object }
  /** Answers with its prompt, arguments and environment, as JSON in the summary. */
  | { readonly echo: true }
  /** Creates a folder with the name of a file in the run directory, so that the file cannot be written. */
  | { readonly block: string }
  | { readonly exit: number }
  | { readonly die: NodeJS.Signals };

/** An agent that needs no model. It replaces Codex in tests that do not depend on the real program. */
export const scriptedAgent = join(import.meta.dirname, '..', 'fixtures', 'agent', 'codex.mjs');

/** Task text that makes the agent start a thread and perform these steps. */
export function steps(...all: readonly Step[]): string {
  return bare({ begin: true }, ...all);
}

/** Like `steps`, but without starting a thread. */
export function bare(...all: readonly Step[]): string {
  return `<<steps ${Buffer.from(JSON.stringify(all)).toString('base64url')}>>`;
}

/** Parses the summary of an `echo` step. */
export function echoed(summary: string): {
  readonly prompt: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  return JSON.parse(summary);
}
