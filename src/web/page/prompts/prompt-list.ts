import { useEffect, useState } from 'preact/hooks';
import type { McpError } from '../shared/mcp-client.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import type { Prompt } from './prompt.ts';

interface PromptList {
  readonly prompts: readonly Prompt[];
  /** Whether every page has arrived. */
  readonly complete: boolean;
  readonly error: McpError | undefined;
}

/** The whole catalogue, its first page as soon as it is there, read again whenever the server says that it changed. */
export function usePrompts(): PromptList {
  const { client, changes } = useConnection();
  const [list, setList] = useState<PromptList>({ prompts: [], complete: false, error: undefined });
  useEffect(() => {
    const ended = new AbortController();
    let latest: readonly Prompt[] = [];
    const seen = (prompts: readonly Prompt[]) => {
      latest = prompts;
      // On a re-read the old list stays until the new one is whole.
      setList((old) => (old.complete ? old : { ...old, prompts }));
    };
    client.all<Prompt>('prompts/list', 'prompts', seen, ended.signal).then(
      () => !ended.signal.aborted && setList({ prompts: latest, complete: true, error: undefined }),
      (error) => !ended.signal.aborted && setList((old) => ({ ...old, error: asError(error) })),
    );
    return () => ended.abort();
  }, [client, changes.prompts]);
  return list;
}
