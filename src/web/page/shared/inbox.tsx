import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { type Loaded, useConnection, useTool } from './server-connection.tsx';

export type Inbox = ToolAnswer<'list_inbox'>;
export type InboxItem = Inbox['items'][number];
export type InboxAction = InboxItem['actions'][number];

const context = createContext<Loaded<Inbox>>({ value: undefined, error: undefined });

/** What waits for the person. Views, counts and notifications of the browser share one copy. */
export function useInbox(): Loaded<Inbox> {
  return useContext(context);
}

/** The runs that ask for permission. An autopilot asks when one of its jobs does. */
export function useAskingRuns(): ReadonlySet<string> {
  const asking = useInbox().value?.items.flatMap(({ request }) => request?.run_id.split('/')[0] ?? []);
  return new Set(asking);
}

/** Other servers of this machine report nothing here, so the page asks, less often while nobody sees it. */
const [visibleMs, hiddenMs] = [10_000, 30_000];

export function InboxProvider({ children }: { children: ComponentChildren }) {
  const { changes } = useConnection();
  const inbox = useTool('list_inbox', wholeList, changes.resources, usePolls());
  return <context.Provider value={inbox}>{children}</context.Provider>;
}

/** A counter that also increases, slowly, while the page is hidden: a notification of the browser matters most then. */
function usePolls(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const next = () => {
      timer = setTimeout(poll, document.visibilityState === 'visible' ? visibleMs : hiddenMs);
    };
    const poll = () => {
      setCount((now) => now + 1);
      next();
    };
    next();
    return () => clearTimeout(timer);
  }, []);
  return count;
}
