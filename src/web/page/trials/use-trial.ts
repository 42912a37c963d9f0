import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';

/** An answer while it arrives, and what it took once it is complete. */
export interface TrialState {
  readonly text: string;
  readonly result?: ToolAnswer<'try_prompt'>;
  readonly problem?: string;
}

interface Trial {
  readonly state: TrialState | undefined;
  readonly busy: boolean;
  /** Resolves when the answer is complete or failed. */
  start(name: string, values: Readonly<Record<string, string>>): Promise<void>;
  cancel(): void;
}

/** Sends a prompt to the model of the server. Leaving the view cancels the request. */
export function useTrial(): Trial {
  const { client } = useConnection();
  const [state, setState] = useState<TrialState | undefined>();
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start: Trial['start'] = async (name, values) => {
    const ended = new AbortController();
    running.current = ended;
    setBusy(true);
    setState({ text: '' });
    try {
      const result = await client.tool(
        'try_prompt',
        { name, arguments: values },
        {
          signal: ended.signal,
          onNotification: (_, { message }) =>
            typeof message === 'string' && setState((old) => ({ text: (old?.text ?? '') + message })),
        },
      );
      setState({ text: result.answer, result });
    } catch (error) {
      const problem = ended.signal.aborted ? 'Cancelled.' : asError(error).message;
      setState((old) => ({ text: old?.text ?? '', problem }));
    }
    setBusy(false);
  };
  return { state, busy, start, cancel: () => running.current?.abort() };
}
