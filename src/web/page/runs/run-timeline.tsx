import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { Problem } from '../controls/fields.tsx';
import { MoreButton } from '../shared/buttons.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { isOpen, tokensInFull } from './run-record.ts';
import { displayText, lineKind } from './timeline-line.ts';

type Tail = Pick<ToolAnswer<'tail_run'>, 'status' | 'events' | 'next'>;

interface Props {
  readonly runId: string;
  readonly open: boolean;
  /** Increases when the run has new events. */
  readonly updates: number;
}

const pageSize = 500;
/** Polling interval for runs of other servers, which send no notifications. */
const pollMs = 1500;
/** The list follows new events while it is scrolled to within so many pixels of its end. */
const nearEnd = 24;

/** The events of a run, updated while it is in progress. */
export function RunTimeline({ runId, open, updates }: Props) {
  const { client } = useConnection();
  const [lines, setLines] = useState<Tail['events']>([]);
  const [visible, setVisible] = useState(pageSize);
  const [problem, setProblem] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const wake = useRef<() => void>(() => {});
  useEffect(() => wake.current(), [updates]);
  useEffect(() => {
    const closed = new AbortController();
    const follow = async () => {
      let after = 0;
      while (!closed.signal.aborted) {
        const tail: Tail | undefined = await client
          .tool('tail_run', { run_id: runId, after, limit: 1000 }, { signal: closed.signal })
          .catch((error) => {
            // Retry while the server is unreachable: the run continues without it.
            if (closed.signal.aborted || asError(error).status !== 0) throw error;
            setProblem(asError(error).message);
            return undefined;
          });
        if (tail) setProblem('');
        const events = tail?.events ?? [];
        if (events.length > 0) setLines((old) => [...old, ...events]);
        const more = tail !== undefined && tail.next > after;
        after = tail?.next ?? after;
        if (tail && !more && !isOpen(tail.status)) return;
        if (!more)
          await new Promise<void>((resolve) => {
            wake.current = resolve;
            setTimeout(resolve, pollMs);
          });
      }
    };
    setLines([]);
    follow().catch((error) => !closed.signal.aborted && setProblem(asError(error).message));
    return () => closed.abort();
  }, [client, runId]);
  useEffect(() => {
    // Somebody who reads above stays there.
    if (open && isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [lines.length, open]);
  const trouble = <Problem text={problem} />;
  if (lines.length === 0)
    return problem ? trouble : <p class="quiet">{open ? 'No events yet.' : 'No events were recorded.'}</p>;
  // Show the latest events while the run is in progress, and the first events after it has ended.
  const shown = open ? lines.slice(-visible) : lines.slice(0, visible);
  return (
    <>
      {trouble}
      <ol
        class="timeline"
        ref={list}
        tabIndex={0}
        aria-label="Events"
        aria-live={open ? 'polite' : 'off'}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
        }}
      >
        {shown.map((event) => (
          <TimelineEvent key={event.line} event={event} />
        ))}
      </ol>
      {!open && (
        <MoreButton shown={visible} all={lines.length} step={pageSize} what="events" show={setVisible} />
      )}
    </>
  );
}

/** One event: its time, its text and, for a command, its output behind the text. */
function TimelineEvent({ event: { text, time, output, tokens } }: { event: Tail['events'][number] }) {
  const shownText = displayText(text) || (tokens ? `${tokensInFull(tokens)} tokens` : '');
  return (
    <li class={lineKind(text)}>
      {time !== undefined && <time dateTime={time}>{clock(time)}</time>}
      {output ? (
        <details>
          <summary>{shownText}</summary>
          <pre>{visibleText(output)}</pre>
        </details>
      ) : (
        shownText
      )}
    </li>
  );
}

function clock(time: string): string {
  return new Date(time).toLocaleTimeString(undefined, { hourCycle: 'h23' });
}
