import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ClosableHeader } from '../controls/closable-header.tsx';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  close(): void;
}

/** A panel beside the main content. Takes the focus while open and returns it on close. Escape closes it. */
export function SidePanel({ title, children, close }: Props) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const previousFocus = document.activeElement;
    panel.current!.focus({ preventScroll: true });
    panel.current!.scrollIntoView({ block: 'nearest' });
    return () => {
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected)
        previousFocus.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      class="panel"
      ref={panel}
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <ClosableHeader title={title} close={close} />
      {children}
    </aside>
  );
}
