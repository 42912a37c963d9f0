import { type Json, type McpClient, McpError } from './mcp-client.ts';

interface Begun {
  readonly taskId?: string;
  readonly structuredContent?: { readonly run_id?: string };
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

/** Begins a run and tells its id at once: as a task it goes on by itself, whether or not this tab stays open. */
export async function launch(client: McpClient, tool: string, args: Json): Promise<string> {
  const begun = await client.request<Begun>(
    'tools/call',
    { name: tool, arguments: { skip_git_repo_check: true, ...args } },
    { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  );
  const id = begun.taskId ?? begun.structuredContent?.run_id;
  if (begun.isError || id === undefined)
    throw new McpError(
      begun.content?.map(({ text }) => text ?? '').join('\n') || 'It did not begin.',
      0,
      200,
    );
  return id;
}
