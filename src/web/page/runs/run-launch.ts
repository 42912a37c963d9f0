import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { useAttempt } from '../controls/fields.tsx';
import { type McpClient, McpError, type ToolReply } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';
import { useConnection } from '../shared/server-connection.tsx';

type LaunchTool = 'delegate_run' | 'delegate_resume' | 'delegate_autopilot';

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

interface Launch {
  readonly busy: boolean;
  readonly problem: string;
  launch<Name extends LaunchTool>(tool: Name, args: ToolArguments<Name>): Promise<void>;
}

/** For forms that start a run. Navigates to the run, or sets `problem` if it could not be started. */
export function useLaunch(): Launch {
  const { client, invalidate } = useConnection();
  const { busy, problem, attempt } = useAttempt();
  const launch = <Name extends LaunchTool>(tool: Name, args: ToolArguments<Name>) =>
    attempt(async () => {
      const id = await startRun(client, tool, args);
      invalidate('resources');
      location.hash = pathTo('runs', id);
    });
  return { busy, problem, launch };
}
