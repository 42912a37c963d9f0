import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { LoadedConfig } from '../../config.ts';
import type { Problem } from '../../feature.ts';
import type { LocalClient } from '../client/local-client.ts';
import { UsageError } from '../terminal/command.ts';
import { problemLine, type Terminal } from '../terminal/terminal.ts';

/** The input of one subcommand of `adjutant prompts`. */
export interface Invocation {
  readonly client: LocalClient;
  readonly config: LoadedConfig['config'];
  readonly terminal: Terminal;
  readonly flags: LoadedConfig['flags'];
  /** The words after the subcommand. */
  readonly rest: readonly string[];
}

/** Resolves to the exit code. */
export type Action = (invocation: Invocation) => Promise<number>;

export type ListedPrompt = ToolAnswer<'list_prompts'>['prompts'][number];
export type ShownPrompt = ToolAnswer<'show_prompt'>;

export async function call<Name extends ToolName>(
  { client }: Invocation,
  tool: Name,
  args: ToolArguments<Name>,
): Promise<ToolAnswer<Name>> {
  return (await client.call(tool, args)).value;
}

/** Prints problems to stderr. With --json they are part of the answer instead. */
export function reportProblems({ terminal }: Invocation, problems: readonly Problem[]): void {
  if (terminal.json) return;
  for (const problem of problems) {
    if (problem.severity === 'error') terminal.note(problemLine(problem));
    else terminal.hint(problemLine(problem));
  }
}

export function textFlag({ flags }: Invocation, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function listFlag({ flags }: Invocation, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** The prompt name after the subcommand. */
export function nameOf({ rest }: Invocation, subcommand: string): string {
  const [name, ...more] = rest;
  if (name === undefined)
    throw new UsageError(`prompts ${subcommand} needs a name: adjutant prompts ${subcommand} NAME`);
  if (more.length > 0)
    throw new UsageError(`prompts ${subcommand} takes one name, but also got "${more[0]}"`);
  return name;
}

/** Reads a stream to its end. Throws if it is not UTF-8. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
