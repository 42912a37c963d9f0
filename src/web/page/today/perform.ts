import type { ToolArguments, ToolName } from '../../../api.ts';
import { startRun } from '../runs/run-launch.ts';
import type { InboxAction } from '../shared/inbox.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import type { Toast } from '../shared/toast.tsx';

/** Does what an item of the inbox offers, with what the person typed. Returns what happened, and how to undo it. */
export async function perform(
  client: McpClient,
  { tool, arguments: given }: Pick<InboxAction, 'tool' | 'arguments'>,
  more: object = {},
): Promise<Partial<Toast>> {
  const args = { ...given, ...more };
  if (tool === 'delegate_resume') {
    await startRun(client, tool, args as ToolArguments<typeof tool>);
    return { text: 'The agent continues with your answer.' };
  }
  if (tool === 'apply_run') {
    const { run_id } = args as ToolArguments<typeof tool>;
    const { files, conflicts, marked = [] } = await client.tool(tool, { run_id });
    const kept = [...conflicts.map(({ path, reason }) => `${path} stays as it is: ${reason}.`)];
    const marks = marked.map((path) => `${path} contains conflict markers.`);
    return {
      text: [`Applied ${files.length === 1 ? '1 file' : `${files.length} files`}.`, ...kept, ...marks].join(
        ' ',
      ),
      ...(files.length > 0 && { undo: client.undoBy('undo_run', { run_id }) }),
    };
  }
  // The server checks the arguments, which the item of the inbox has for this very tool.
  const { undo } = await client.undoable(tool as ToolName, args as never);
  return undo === undefined ? {} : { undo };
}
