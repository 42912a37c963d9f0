import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { useActions } from '../shared/actions.tsx';
import { type McpClient, McpError, type ToolReply } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';

type LaunchTool = 'delegate_run' | 'delegate_resume' | 'delegate_autopilot' | 'delegate_compare';

interface LaunchReply extends ToolReply {
  /** Present when the run continues as a task. */
  readonly taskId?: string;
}

/** Starts a run as an MCP task and returns its id at once. The run continues even if this tab is closed. */
export async function startRun<Name extends LaunchTool>(
  client: McpClient,
  tool: Name,
  args: ToolArguments<Name>,
): Promise<string> {
  const reply = await client.request<LaunchReply>(
    'tools/call',
    { name: tool, arguments: { skip_git_repo_check: true, ...args } },
    { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  );
  const id = reply.taskId ?? (reply.structuredContent as ToolAnswer<Name> | undefined)?.run_id;
  if (id === undefined || id === 'unknown')
    throw new McpError(
      reply.content?.map(({ text }) => text ?? '').join('\n') || 'The run did not start.',
      0,
      200,
    );
  return id;
}

/** For forms and buttons that start a run and then show it. */
export function useLaunch() {
  const { client, invalidate, ...actions } = useActions();
  const launch = async <Name extends LaunchTool>(tool: Name, args: ToolArguments<Name>) => {
    const id = await startRun(client, tool, args);
    invalidate('resources');
    location.hash = pathTo('runs', id);
  };
  return { ...actions, launch };
}
