import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { LoadedConfig } from '../../config.ts';
import type { Problem } from '../../feature.ts';
import type { LocalClient } from '../client/local-client.ts';
import { type Terminal, UsageError } from '../terminal/command.ts';
import { problemLine } from '../terminal/problem-lines.ts';

/** What one verb of `adjutant prompts` is given. */
export interface Given {
  readonly door: LocalClient;
  readonly terminal: Terminal;
  readonly flags: LoadedConfig['flags'];
  /** What follows the verb. */
  readonly rest: readonly string[];
}

/** Tells the exit code. */
export type Action = (given: Given) => Promise<number>;

export type ListedPrompt = ToolAnswer<'list_prompts'>['prompts'][number];
export type ShownPrompt = ToolAnswer<'show_prompt'>;

export async function call<Name extends ToolName>(
  { door }: Given,
  tool: Name,
  args: ToolArguments<Name>,
): Promise<ToolAnswer<Name>> {
  return (await door.call(tool, args)).value;
}

/** For people they go beside the output, not into it; programs find them in the answer. */
export function reportProblems({ terminal }: Given, problems: readonly Problem[]): void {
  if (terminal.json) return;
  for (const problem of problems) {
    if (problem.severity === 'error') terminal.note(problemLine(problem));
    else terminal.tell(problemLine(problem));
  }
}

export function textFlag({ flags }: Given, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function listFlag({ flags }: Given, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** The one name after the verb. */
export function nameOf({ rest }: Given, verb: string): string {
  const [name, ...more] = rest;
  if (name === undefined) throw new UsageError(`which prompt? Write adjutant prompts ${verb} NAME`);
  if (more.length > 0) throw new UsageError(`one prompt at a time; "${more[0]}" is too much`);
  return name;
}

export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
