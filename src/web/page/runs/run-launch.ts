import { useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { type McpClient, McpError, type ToolReply } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';

type Starter = 'delegate_run' | 'delegate_resume' | 'delegate_autopilot';

interface Begun extends ToolReply {
  /** Present when the run continues as a task. */
  readonly taskId?: string;
}

/** Begins a run and tells its id at once: as a task it goes on by itself, whether or not this tab stays open. */
async function launch<Name extends Starter>(
  client: McpClient,
  tool: Name,
  args: ToolArguments<Name>,
): Promise<string> {
  const begun = await client.request<Begun>(
    'tools/call',
    { name: tool, arguments: { skip_git_repo_check: true, ...args } },
    { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  );
  const id = begun.taskId ?? (begun.structuredContent as ToolAnswer<Name> | undefined)?.run_id;
  if (begun.isError || id === undefined)
    throw new McpError(
      begun.content?.map(({ text }) => text ?? '').join('\n') || 'It did not begin.',
      0,
      200,
    );
  return id;
}

interface Launch {
  readonly busy: boolean;
  readonly problem: string;
  begin<Name extends Starter>(tool: Name, args: ToolArguments<Name>): Promise<void>;
}

/** For a form that begins a run: it leads to the run, or tells why there is none. */
export function useLaunch(): Launch {
  const { client, touch } = useConnection();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const begin = async <Name extends Starter>(tool: Name, args: ToolArguments<Name>) => {
    setBusy(true);
    setProblem('');
    try {
      const id = await launch(client, tool, args);
      touch('resources');
      location.hash = pathTo('runs', id);
    } catch (error) {
      setProblem(asError(error).message);
      setBusy(false);
    }
  };
  return { busy, problem, begin };
}
