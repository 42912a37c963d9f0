import { wholeList } from '../../../paging.ts';
import type { McpClient } from '../shared/mcp-client.ts';

/** The last revision of every deleted prompt, by name. Restoring it brings the prompt back. */
export async function deletedRevisions(client: McpClient): Promise<ReadonlyMap<string, number>> {
  const { prompts } = await client.tool('list_deleted_prompts', wholeList);
  return new Map(prompts.map(({ name, revision }) => [name, revision]));
}
