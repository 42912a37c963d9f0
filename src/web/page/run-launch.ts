import { useState } from 'preact/hooks';
import { type Json, type McpClient, McpError } from './mcp-client.ts';
import { pathTo } from './route.ts';
import { asError, useConnection } from './server-connection.tsx';

interface Begun {
  readonly taskId?: string;
  readonly structuredContent?: { readonly run_id?: string };
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

/** Begins a run and tells its id at once: as a task it goes on by itself, whether or not this tab stays open. */
async function launch(client: McpClient, tool: string, args: Json): Promise<string> {
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

interface Launch {
  readonly busy: boolean;
  readonly problem: string;
  begin(tool: string, args: Json): Promise<void>;
}

/** For a form that begins a run: it leads to the run, or tells why there is none. */
export function useLaunch(): Launch {
  const { client, touch } = useConnection();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const begin = async (tool: string, args: Json) => {
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
