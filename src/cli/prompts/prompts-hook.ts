import { Failure } from '../../failure.ts';
import { isObject, messageOf } from '../../json.ts';
import type { Action } from '../terminal/command.ts';
import { readAll } from './prompts-action.ts';

/** A colon and a name at the start of a message. */
const command = /^\s*:([\p{L}\p{N}_]\S*)(?:\s+([\s\S]*))?$/u;

/**
 * What a client runs for every message, before the model reads it: `install --with-hook` adds it. It answers with the expanded
 * prompt, which the client adds to the message. It never fails, because the client would then hold the message back.
 */
export const hook: Action = {
  summary: 'Expand :name for a client, which sends its message as JSON to standard input',
  neverFails: true,
  examples: ['prompts hook', 'prompts hook --home ~/adjutant'],
  async run({ connect, terminal }) {
    try {
      const input: unknown = JSON.parse(await readAll(terminal.input));
      const message = isObject(input) ? input['prompt'] : undefined;
      const [, name, rest = ''] = (typeof message === 'string' && command.exec(message)) || [];
      if (name === undefined) return 0;
      const client = await connect();
      const context = await client.call('expand_prompt', { command: `:${name}`, input: rest.trim() }).then(
        ({ value }) => `This is what :${name} stands for. It is expanded already:\n\n${value.text}`,
        (error: unknown) => {
          const isUnknown = error instanceof Failure && error.kind === 'prompt-not-found';
          return isUnknown ? undefined : `The prompt :${name} could not be expanded: ${messageOf(error)}`;
        },
      );
      if (context === undefined) return 0;
      const output = { hookEventName: 'UserPromptSubmit', additionalContext: context };
      terminal.output.write(`${JSON.stringify({ hookSpecificOutput: output })}\n`);
    } catch (error) {
      terminal.note(`adjutant: ${messageOf(error)}\n`);
    }
    return 0;
  },
};
