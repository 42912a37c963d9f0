import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { isOpen } from './run-record.ts';
import { kindOf, spoken } from './timeline-line.ts';

type Tail = Pick<ToolAnswer<'tail_run'>, 'status' | 'events' | 'next'>;

interface Props {
  readonly runId: string;
  readonly open: boolean;
  /** Counts up when there is something new. */
  readonly updates: number;
}

const atOnce = 500;
/** How often to look where nobody tells: at the runs of other servers. */
const lookEveryMs = 1500;

/** The events of a run as they come. */
export function RunTimeline({ runId, open, updates }: Props) {
  const { client } = useConnection();
  const [lines, setLines] = useState<Tail['events']>([]);
  const [most, setMost] = useState(atOnce);
  const [problem, setProblem] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const wake = useRef<() => void>(() => {});
  useEffect(() => wake.current(), [updates]);
  useEffect(() => {
    const ended = new AbortController();
    const follow = async () => {
      let after = 0;
      while (!ended.signal.aborted) {
        const tail: Tail = await client
          .tool('tail_run', { run_id: runId, after, limit: 1000 }, { signal: ended.signal })
          .catch((error) => {
            // A server that is away may come back, and the run goes on without it.
            if (ended.signal.aborted || asError(error).status !== 0) throw error;
            return { status: 'running', events: [], next: after } satisfies Tail;
          });
        if (tail.events.length > 0) setLines((old) => [...old, ...tail.events]);
        const more = tail.next > after;
        after = tail.next;
        if (!more && !isOpen(tail.status)) return;
        if (!more)
          await new Promise<void>((resolve) => {
            wake.current = resolve;
            setTimeout(resolve, lookEveryMs);
          });
      }
    };
    setLines([]);
    follow().catch((error) => !ended.signal.aborted && setProblem(asError(error).message));
    return () => ended.abort();
  }, [client, runId]);
  useEffect(() => {
    if (open) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [lines.length, open]);
  if (problem) return <p class="problem">{problem}</p>;
  if (lines.length === 0) return <p class="quiet">{open ? 'Nothing yet.' : 'There were no events.'}</p>;
  // While it goes on the end is of interest; afterwards the beginning as well.
  const shown = open ? lines.slice(-most) : lines.slice(0, most);
  return (
    <>
      <ol class="timeline" ref={list} tabIndex={0} aria-label="Events" aria-live={open ? 'polite' : 'off'}>
        {shown.map(({ line, text }) => (
          <li key={line} class={kindOf(text)}>
            {spoken(text)}
          </li>
        ))}
      </ol>
      {lines.length > most && !open && (
        <button type="button" class="small" onClick={() => setMost(most + atOnce)}>
          Show {Math.min(atOnce, lines.length - most)} of {lines.length - most} more
        </button>
      )}
    </>
  );
}
