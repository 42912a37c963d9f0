import { useEffect, useRef } from 'preact/hooks';
import { type InboxItem, useInbox } from '../shared/inbox.tsx';
import { goTo, pathTo } from '../shared/route.ts';

/** The kinds that are worth an interruption, with texts that a lock screen may show: no command, no difference, no title. */
const texts: Partial<Readonly<Record<InboxItem['kind'], string>>> = {
  approval: 'An agent asks for permission.',
  question: 'An agent has a question.',
  changes: 'The changes of a run wait for you.',
  routine: 'A routine needs you.',
};

/** Shows in the icon of the tab that something waits, and notifies through the browser if the person has allowed it. */
export function useAttention(): void {
  const { value } = useInbox();
  const waiting = (value?.items.length ?? 0) > 0;
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = waiting ? 'icon-needs.svg' : 'icon.svg';
  }, [waiting]);
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    if (value === undefined) return;
    const { current: before } = known;
    known.current = new Set(value.items.map(({ id }) => id));
    // What waited before the page was opened is on the page.
    for (const item of value.items) if (before?.has(item.id) === false) notify(item);
  }, [value]);
}

function notify({ id, kind }: InboxItem): void {
  const text = texts[kind];
  if (text === undefined || document.hasFocus()) return;
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    // The tag prevents that every tab shows the same notification.
    const shown = new Notification('Adjutant', { body: text, tag: id, icon: 'icon-needs.svg' });
    shown.onclick = () => {
      window.focus();
      goTo(pathTo('today', id));
      shown.close();
    };
  } catch {
    // Browsers on phones show notifications of installed pages only.
  }
}
