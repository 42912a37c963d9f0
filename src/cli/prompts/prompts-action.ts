import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { Problem } from '../../feature.ts';
import type { Use } from '../terminal/command.ts';
import { problemLine } from '../terminal/terminal.ts';

export type ListedPrompt = ToolAnswer<'list_prompts'>['prompts'][number];
export type ShownPrompt = ToolAnswer<'show_prompt'>;

export async function call<Name extends ToolName>(
  { connect }: Use,
  tool: Name,
  args: ToolArguments<Name>,
): Promise<ToolAnswer<Name>> {
  return (await (await connect()).call(tool, args)).value;
}

/** Prints problems to stderr. With --json they are part of the answer instead. */
export function reportProblems({ terminal }: Use, problems: readonly Problem[]): void {
  if (terminal.json) return;
  for (const problem of problems) {
    if (problem.severity === 'error') terminal.note(problemLine(problem));
    else terminal.hint(problemLine(problem));
  }
}

/** Reads a stream to its end. Throws if it is not UTF-8. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
