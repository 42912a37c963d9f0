import { useEffect, useRef, useState } from 'preact/hooks';
import { isOpen } from './run-record.ts';
import { asError, useConnection } from './server-connection.tsx';

interface Line {
  readonly line: number;
  readonly text: string;
}

interface Tail {
  readonly status: string;
  readonly events: readonly Line[];
  readonly next: number;
}

/** The events of a run as they come. */
export function RunTimeline({ runId, open }: { runId: string; open: boolean }) {
  const { client } = useConnection();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [problem, setProblem] = useState('');
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const ended = new AbortController();
    const follow = async () => {
      let after = 0;
      while (!ended.signal.aborted) {
        const tail = await client.tool<Tail>(
          'tail_run',
          { run_id: runId, after, limit: 500 },
          { signal: ended.signal },
        );
        if (tail.events.length > 0) setLines((old) => [...old, ...tail.events]);
        const more = tail.next > after;
        after = tail.next;
        if (!more && !isOpen(tail.status)) return;
        if (!more) await new Promise((resolve) => setTimeout(resolve, 700));
      }
    };
    setLines([]);
    follow().catch((error) => !ended.signal.aborted && setProblem(asError(error).message));
    return () => ended.abort();
  }, [client, runId]);
  useEffect(() => {
    if (open) end.current?.scrollIntoView({ block: 'nearest' });
  }, [lines.length, open]);
  if (problem) return <p class="problem">{problem}</p>;
  if (lines.length === 0) return <p class="quiet">{open ? 'Nothing yet.' : 'No events.'}</p>;
  return (
    <ol class="timeline" aria-live={open ? 'polite' : 'off'}>
      {lines.map(({ line, text }, index) => (
        <li key={line} ref={index === lines.length - 1 ? end : null}>
          {text}
        </li>
      ))}
    </ol>
  );
}
