import { join } from 'node:path';

/** What the scripted agent does, one after the other. */
export type Step =
  | { readonly begin: true }
  | { readonly emit: object }
  | { readonly raw: string }
  | { readonly stderr: string }
  | { readonly wait: number }
  | { readonly hang: true }
  | { readonly deaf: true }
  | { readonly child: string }
  | { readonly command: string }
  | { readonly flood: number }
  | { readonly file: { readonly path: string; readonly text: string } }
  | { readonly message: string }
  | { readonly usage: object }
  | { readonly fail: string }
  | { readonly answer: object }
  /** Answers with the prompt, the arguments and the environment it was given, as JSON in the summary. */
  | { readonly echo: true }
  /** Puts a folder where a file of the run is to be written. */
  | { readonly block: string }
  | { readonly exit: number }
  | { readonly die: NodeJS.Signals };

/** An agent that needs no model: it stands in for codex where the real one has nothing to add. */
export const scriptedAgent = join(import.meta.dirname, '..', 'fixtures', 'agent', 'codex.mjs');

/** The text that makes it do these steps, to be put into a task. It begins its thread by itself. */
export function steps(...all: readonly Step[]): string {
  return bare({ begin: true }, ...all);
}

export function bare(...all: readonly Step[]): string {
  return `<<steps ${Buffer.from(JSON.stringify(all)).toString('base64url')}>>`;
}

/** What `echo` saw. */
export function echoed(summary: string): {
  readonly prompt: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  return JSON.parse(summary);
}
