import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './fields.tsx';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: string;
  /** Shows no visible heading, only the name for screen readers. */
  readonly bare?: boolean;
  readonly children: ComponentChildren;
  close(): void;
}

/** A modal window. The browser keeps the focus inside, closes it on Escape and returns the focus. */
export function Dialog({ title, bare = false, children, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={bare ? 'dialog bare' : 'dialog'}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // A click outside the content hits the dialog itself.
      onPointerDown={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-content">
        {!bare && <ClosableHeader title={title} close={close} />}
        {children}
      </div>
    </dialog>
  );
}

/** The heading of a dialog or a panel, with the button that closes it. */
const ClosableHeader = ({ title, close }: { readonly title: string; close(): void }) => (
  <header class="section-head">
    <h2 class="grow">{title}</h2>
    <Button class="plain only tight" onClick={close} aria-label="Close">
      <Icon name="cross" />
    </Button>
  </header>
);

interface SidePanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
  close(): void;
}

/** A panel beside the main content. Takes the focus while open and returns it on close. Escape closes it. */
export function SidePanel({ title, children, close }: SidePanelProps) {
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
