import type { McpClient } from '../shared/mcp-client.ts';
import { asError } from '../shared/server-connection.tsx';
import type { PromptSource } from './prompt-draft.ts';

/** The version on the server. Returns `undefined` if the prompt was deleted. */
export async function currentVersion(client: McpClient, name: string): Promise<PromptSource | undefined> {
  try {
    return await client.tool('show_prompt', { name });
  } catch (error) {
    if (asError(error).failure?.kind === 'prompt-not-found') return undefined;
    throw error;
  }
}

/** The content of a prompt for a copy of it. Prompts of other sources are converted to the syntax of own prompts. */
export async function copiedPrompt(client: McpClient, name: string): Promise<PromptSource> {
  const {
    kind,
    title = name,
    description,
    messages,
    arguments: args,
    tags,
  } = await client.tool('show_prompt', { name });
  const facts = { title: `${title} (copy)`, ...(description !== undefined && { description }) };
  if (kind === 'braces' || kind === 'none') return { ...facts, messages, arguments: args, tags };
  const { files } = await client.tool('export_prompts', { format: 'jsonl', names: [name] });
  const record = JSON.parse(files[0]?.text.split('\n')[0] || '{}') as PromptSource;
  return {
    ...facts,
    messages: record.messages ?? messages,
    arguments: record.arguments ?? args,
    tags: record.tags ?? tags,
  };
}

/** A valid name for the copy of a prompt. */
export function copyName(name: string): string {
  return `${name.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'prompt'}_copy`;
}
