import { Failure } from '../../failure.ts';
import { defineBareTool, type Tool } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { renderPrompt } from '../rendering/rendering.ts';

// Both tools match the document of the contract `commands` exactly.
const listDescription =
  'List available prompt commands with descriptions. Users invoke prompt commands in messages by writing :<command> (e.g., :research topic); this lists what commands exist.';
const expandDescription =
  'Expands a named prompt command into a full prompt. When ANY user message contains a :-prefixed command token (e.g., :research topic, :summarize this article, :critique "draft"), you MUST call this tool before responding. Strip the leading colon from the command name and pass any remaining text (including quotes) as the input. Do not bypass this tool or answer directly whenever a :-prefixed command is present.';

/** Lists the Markdown commands. */
export function createListCommands(catalog: Catalog): Tool {
  return defineBareTool({
    name: 'list_prompts',
    description: listDescription,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call() {
      const entries = await catalog.list();
      return {
        structured: {
          prompts: entries.map(({ definition: { name, description = '' } }) => ({ name, description })),
        },
      };
    },
  });
}

export function createExpandCommand(catalog: Catalog): Tool {
  return defineBareTool({
    name: 'expand_prompt',
    description: expandDescription,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'Prompt command name (filename without extension)' },
        input: { type: 'string', description: 'Text to inject into the prompt template' },
      },
      required: ['command', 'input'],
    },
    // Models omit the input if there is none.
    acceptedSchema: {
      type: 'object',
      properties: { command: { type: 'string' }, input: { type: 'string', default: '' } },
      required: ['command'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call({ command, input }) {
      if (command.trim() === '') throw new Failure('missing-argument', 'command is required');
      const { definition, source } = await catalog.find(command);
      const { messages } = await renderPrompt(definition, { input }, source);
      const [first] = messages;
      return { structured: { prompt: first?.content.type === 'text' ? first.content.text : '' } };
    },
  });
}
