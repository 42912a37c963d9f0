import { Failure } from '../failure.ts';
import { defineTool, type Feature, type Problem, type Prompt } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import { type Command, CommandFolder, expandCommand, takesInput } from './commands.ts';

export interface PromptsOptions {
  readonly commandsDir: string;
}

/** The living prompt library. */
export function createPrompts(options: PromptsOptions): Feature {
  const folder = new CommandFolder(options.commandsDir);

  const listPrompts = defineTool({
    name: 'list_prompts',
    description:
      'List available prompt commands with descriptions. Users invoke prompt commands in messages by writing :<command> (e.g., :research topic); this lists what commands exist.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call() {
      const { commands, problems } = await folder.list();
      return {
        structured: { prompts: commands.map(({ name, description }) => ({ name, description })) },
        ...(problems.length > 0 && { meta: problemsMeta(problems) }),
      };
    },
  });

  const expandPrompt = defineTool({
    name: 'expand_prompt',
    description:
      'Expands a named prompt command into a full prompt. When ANY user message contains a :-prefixed command token (e.g., :research topic, :summarize this article, :critique "draft"), you MUST call this tool before responding. Strip the leading colon from the command name and pass any remaining text (including quotes) as the input. Do not bypass this tool or answer directly whenever a :-prefixed command is present.',
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'Prompt command name (filename without extension)' },
        input: { type: 'string', description: 'Text to inject into the prompt template' },
      },
      required: ['command', 'input'],
    },
    // Models leave the input out when there is none.
    acceptedSchema: {
      type: 'object',
      properties: { command: { type: 'string' }, input: { type: 'string', default: '' } },
      required: ['command'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call({ command, input }) {
      if (command.trim() === '') throw new Failure('missing-argument', 'command is required');
      return { structured: { prompt: expandCommand(await folder.get(command), input) } };
    },
  });

  return {
    name: 'prompts',
    tools: [listPrompts, expandPrompt],
    prompts: {
      list: async () => (await folder.list()).commands.map(toPrompt),
      async get(name, { input = '' }) {
        const command = await folder.get(name);
        if (typeof input !== 'string')
          throw new Failure('invalid-params', 'The argument input must be text.');
        return {
          description: command.description,
          messages: [{ role: 'user', content: { type: 'text', text: expandCommand(command, input) } }],
        };
      },
    },
    problems: async () => (await folder.list()).problems,
  };
}

function toPrompt(command: Command): Prompt {
  return {
    name: command.name,
    description: command.description,
    arguments: [
      {
        name: 'input',
        description: 'Text to inject into the prompt template',
        required: takesInput(command),
      },
    ],
  };
}

function problemsMeta(problems: readonly Problem[]): JsonObject {
  return { 'adjutant/problems': problems as unknown as JsonObject[] };
}
