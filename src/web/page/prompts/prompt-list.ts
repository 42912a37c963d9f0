import { useEffect, useState } from 'preact/hooks';
import type { Prompt } from '../prompt-editing/prompt.ts';
import type { McpError } from '../shared/mcp-client.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';

interface PromptList {
  readonly prompts: readonly Prompt[];
  /** Whether every page has arrived. */
  readonly complete: boolean;
  readonly error: McpError | undefined;
}

/** All prompts. The first page is available early, and the list reloads when the server reports a change. */
export function usePrompts(): PromptList {
  const { client, changes } = useConnection();
  const [list, setList] = useState<PromptList>({ prompts: [], complete: false, error: undefined });
  useEffect(() => {
    const ended = new AbortController();
    let latest: readonly Prompt[] = [];
    const onPage = (prompts: readonly Prompt[]) => {
      latest = prompts;
      // During a reload, keep the old list until the new one is complete.
      setList((old) => (old.complete ? old : { ...old, prompts }));
    };
    client.all<Prompt>('prompts/list', 'prompts', onPage, ended.signal).then(
      () => !ended.signal.aborted && setList({ prompts: latest, complete: true, error: undefined }),
      (error) => !ended.signal.aborted && setList((old) => ({ ...old, error: asError(error) })),
    );
    return () => ended.abort();
  }, [client, changes.prompts]);
  return list;
}
