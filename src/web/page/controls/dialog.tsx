import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ClosableHeader } from './closable-header.tsx';

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
