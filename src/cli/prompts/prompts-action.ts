import type { ToolAnswer, ToolArguments, ToolName } from '../../api.ts';
import type { Problem } from '../../feature.ts';
import { type LocalClient, openLocalClient } from '../client/local-client.ts';
import type { Action, Use } from '../terminal/command.ts';
import { problemLine } from '../terminal/terminal.ts';

/** How an action of `adjutant prompts` was called, with the client for its tools. */
export interface Invocation extends Use {
  readonly client: LocalClient;
}

/** An action of `adjutant prompts`. */
export function promptAction(
  work: (invocation: Invocation) => Promise<number>,
  action: Omit<Action, 'run'>,
): Action {
  return {
    ...action,
    async run(use) {
      // `label --force` confirms the question of the server.
      const confirms = use.loaded.positionals[0] === 'label' && use.flags['force'] === true;
      await using client = await openLocalClient(use.loaded, use.terminal, {
        onRequest: confirms ? async () => ({ action: 'accept', content: { move: true } }) : undefined,
      });
      return await work({ ...use, client });
    },
  };
}

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

/** Reads a stream to its end. Throws if it is not UTF-8. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
