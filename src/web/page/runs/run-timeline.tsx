import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { Button, Problem, SearchField } from '../controls/fields.tsx';
import { Icon, type IconName } from '../controls/icon.tsx';
import { counted } from '../controls/words.ts';
import { MoreButton } from '../shared/buttons.tsx';
import { Counts } from '../shared/diff-table.tsx';
import { useAddressed } from '../shared/route.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { pageLocale } from '../shared/zone-time.ts';
import { editedFiles } from './patch.ts';
import { FileLines } from './patch-view.tsx';
import { duration, isOpen } from './run-record.ts';
import { findSteps, planOf, type Step, type StepKind, stepsOf } from './run-steps.ts';

type Tail = Pick<ToolAnswer<'tail_run'>, 'status' | 'events' | 'next'>;

interface Props {
  readonly runId: string;
  readonly open: boolean;
  /** Increases when the run has new events. */
  readonly updates: number;
  /** Whether the run waits for an answer, which stands above the steps. */
  readonly asks?: boolean;
}

const pageSize = 500;
/** Polling interval for runs of other servers, which send no notifications. */
const pollMs = 1500;
/** The page follows new steps while it is scrolled to within so many pixels of its end. */
const nearEnd = 48;

/** The events of a run, updated while it is in progress. */
export function RunTimeline({ runId, open, updates, asks = false }: Props) {
  const { client } = useConnection();
  const [lines, setLines] = useState<Tail['events']>([]);
  const [visible, setVisible] = useState(pageSize);
  const [problem, setProblem] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  /** The first step that was shown last. Somebody who reads above keeps it. */
  const start = useRef(0);
  /** The step to show as soon as it is rendered. */
  const jump = useRef<string | undefined>(undefined);
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
  const all = useMemo(() => stepsOf(lines, open), [lines, open]);
  const [query, setQuery] = useAddressed<string>('step', '', { typed: true });
  const [asked, setKinds] = useAddressed<string>('steps', 'all');
  const kinds = asked in filters ? (asked as keyof typeof filters) : 'all';
  const [failure, setFailure] = useState(0);
  const steps = findSteps(all, query, kinds);
  const failures = steps.filter(({ failed }) => failed);
  useEffect(() => {
    // Somebody who reads above stays there.
    if (open && isAtEnd.current && !asks) scrollerOf(list.current)?.scrollTo({ top: 1e9 });
  }, [all.length, open]);
  useEffect(() => {
    const scroller = scrollerOf(list.current);
    if (!scroller || !list.current || !open) return;
    if (asks && isAtEnd.current) {
      isAtEnd.current = false;
      scroller.scrollTo({ top: 0 });
    }
    let last = scroller.scrollTop;
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = scroller;
      // What is added below moves the end away, but only a person scrolls up.
      if (scrollHeight - scrollTop - clientHeight < nearEnd) isAtEnd.current = true;
      else if (scrollTop < last) isAtEnd.current = false;
      last = scrollTop;
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    // The page above the steps, and the output of a step, may arrive after the step.
    const observer = new ResizeObserver(() => isAtEnd.current && !asks && scroller.scrollTo({ top: 1e9 }));
    observer.observe(list.current.closest('article') ?? list.current);
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [open, asks, all.length > 0]);
  const showFailure = () => {
    const step = failures[failure % failures.length]!;
    const at = steps.indexOf(step);
    jump.current = step.key;
    isAtEnd.current = false;
    setVisible(Math.max(visible, open ? steps.length - at : at + 1));
    setFailure(failure + 1);
  };
  useEffect(() => {
    if (jump.current === undefined) return;
    const items = [...(list.current?.querySelectorAll<HTMLElement>('.step') ?? [])];
    const found = items.find(({ dataset }) => dataset['step'] === jump.current);
    jump.current = undefined;
    found?.querySelector('details')?.setAttribute('open', '');
    found?.scrollIntoView({ block: 'center' });
    found?.querySelector<HTMLElement>('summary')?.focus({ preventScroll: true });
  }, [failure]);
  const trouble = <Problem text={problem} />;
  if (all.length === 0)
    return problem ? trouble : <p class="quiet">{open ? 'No events yet.' : 'No events were recorded.'}</p>;
  // Show the latest steps while the run is in progress, and the first ones after it has ended.
  const latest = Math.max(0, steps.length - visible);
  start.current = open ? (isAtEnd.current ? latest : Math.min(latest, start.current)) : 0;
  const shown = open ? steps.slice(start.current) : steps.slice(0, visible);
  return (
    <>
      {trouble}
      <div class="buttons run-tools">
        <Tabs
          label="Steps"
          tabs={filters}
          chosen={kinds}
          choose={(one: keyof typeof filters) => setKinds(one)}
        />
        {failures.length > 0 && (
          <Button class="plain danger" onClick={showFailure}>
            <Icon name="failed" />
            {counted(failures.length, 'failure')}
          </Button>
        )}
        <span class="grow" />
        <SearchField class="step-search" label="Search in this run" value={query} change={setQuery} />
      </div>
      {steps.length === 0 && <p class="quiet">No step contains this.</p>}
      {open && start.current > 0 && (
        <MoreButton
          shown={steps.length - start.current}
          all={steps.length}
          step={pageSize}
          what="earlier steps"
          show={(count) => {
            isAtEnd.current = false;
            setVisible(count);
          }}
        />
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the details inside are pressed */}
      <ol
        class="timeline"
        ref={list}
        aria-label="Events"
        aria-live={open ? 'polite' : 'off'}
        // Somebody who opens a step reads it.
        onClick={() => {
          isAtEnd.current = false;
        }}
      >
        {shown.map((step) => (
          <RunStep key={step.key} step={step} />
        ))}
      </ol>
      {!open && (
        <MoreButton shown={visible} all={steps.length} step={pageSize} what="steps" show={setVisible} />
      )}
    </>
  );
}

/** What scrolls around an element. */
function scrollerOf(element: Element | null): Element | null {
  return element?.closest('.detail') ?? document.scrollingElement;
}

const filters = { all: 'All', commands: 'Commands', edits: 'Edits' } as const;

export const stepIcons: Readonly<Record<StepKind, IconName>> = {
  command: 'terminal',
  edit: 'edit',
  thought: 'thought',
  plan: 'plan',
  message: 'comment',
  asked: 'shield',
  told: 'person',
  warning: 'ask',
  failed: 'failed',
};

/** One step: a card for a command and for edits, a line for everything else. */
function RunStep({ step }: { step: Step }) {
  const { kind, text, time, failed } = step;
  return (
    <li class={`step ${kind === 'command' ? 'command' : ''} ${failed ? 'failed' : ''}`} data-step={step.key}>
      <span class="step-icon">
        <Icon name={stepIcons[kind]} />
      </span>
      {kind === 'command' ? (
        <CommandCard step={step} />
      ) : kind === 'edit' ? (
        <EditCards step={step} />
      ) : kind === 'plan' ? (
        <Plan text={text} />
      ) : kind === 'thought' ? (
        <details class="step-line">
          <summary class="row">
            <Icon class="icon chevron" name="right" />
            Thought <span class="quiet cut grow">{text.slice(1, -1)}</span>
          </summary>
          <p>{text.slice(1, -1)}</p>
        </details>
      ) : (
        <p class="step-line step-said">
          {text} {time !== undefined && <time dateTime={time}>{clock(time)}</time>}
        </p>
      )}
    </li>
  );
}

function CommandCard({ step }: { step: Step }) {
  const { text, output, exitCode, open, failed, time, duration: lasted } = step;
  const head = (
    <>
      {output !== '' && <Icon class="icon chevron" name="right" />}
      <code class="cut">{text}</code>
      <span class="grow cut quiet">{exitCode !== undefined && exitCode !== 0 && `exit ${exitCode}`}</span>
      <span class="row step-side quiet number">
        {time !== undefined && <time dateTime={time}>{clock(time)}</time>}
        {lasted !== undefined && <span class="only-wide">{duration(lasted)}</span>}
        {open ? (
          <span class="spinner" role="img" aria-label="in progress" />
        ) : (
          <span class={failed ? 'bad' : 'good'} role="img" aria-label={failed ? 'failed' : 'succeeded'}>
            <Icon name={failed ? 'cross' : 'check'} />
          </span>
        )}
      </span>
    </>
  );
  if (output === '') return <div class="step-card row step-head">{head}</div>;
  return (
    <details class="step-card">
      <summary class="row step-head">{head}</summary>
      {text.length > 60 && <pre class="step-output">{visibleText(text)}</pre>}
      <pre class="step-output">{visibleText(output)}</pre>
    </details>
  );
}

/** Changes of so many lines are open at first. */
const smallChange = 12;

const changeWords = { added: 'new', removed: 'deleted', changed: '', renamed: '', copied: '' } as const;

/** A card for each file that the agent edited. */
function EditCards({ step: { text, output, time } }: { step: Step }) {
  const files = useMemo(() => editedFiles(text, output), [text, output]);
  return (
    <div class="step-cards">
      {files.map((file) => {
        const { path, change, hunks } = file;
        const head = (
          <>
            {hunks.length > 0 && <Icon class="icon chevron" name="right" />}
            <code class="cut">{visibleText(path)}</code>
            <span class="grow cut quiet">{changeWords[change] || (hunks.length === 0 && 'changed')}</span>
            <span class="row step-side quiet number">
              {time !== undefined && <time dateTime={time}>{clock(time)}</time>}
              {hunks.length > 0 && <Counts {...file} />}
            </span>
          </>
        );
        if (hunks.length === 0)
          return (
            <div key={path} class="step-card row step-head">
              {head}
            </div>
          );
        return (
          <details key={path} class="step-card" open={output.split('\n').length <= smallChange}>
            <summary class="row step-head">{head}</summary>
            <FileLines file={file} />
          </details>
        );
      })}
    </div>
  );
}

function Plan({ text }: { text: string }) {
  const parts = planOf(text);
  const next = parts.find(({ done }) => !done);
  return (
    <details class="step-card">
      <summary class="row step-head">
        <Icon class="icon chevron" name="right" />
        <b>Plan</b>
        <span class="grow cut quiet">
          {parts.filter(({ done }) => done).length} of {parts.length}
          {next && `, next: ${next.text}`}
        </span>
      </summary>
      <ul class="plan">
        {parts.map(({ done, text: what }) => (
          <li key={what} class={`row ${done ? 'past' : ''}`}>
            <Icon name={done ? 'done' : 'open'} />
            {what}
            <span class="hidden">{done ? 'done' : 'open'}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function clock(time: string): string {
  return new Date(time).toLocaleTimeString(pageLocale(), { hourCycle: 'h23' });
}
