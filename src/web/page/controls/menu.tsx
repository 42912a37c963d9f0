import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './fields.tsx';
import { Icon, type IconName } from './icon.tsx';

interface Props {
  readonly label: string;
  readonly icon?: IconName;
  /** True if the button shows its label, and not only its icon. */
  readonly labelled?: boolean;
  readonly children: ComponentChildren;
}

/** A button that shows buttons and links of rare use. Closes on Escape, on a choice and on a click elsewhere. */
export function Menu({ label, icon = 'more', labelled = false, children }: Props) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...menu.current!.querySelectorAll<HTMLElement>('.menu-list :is(a, button:enabled)')];
  useEffect(() => {
    if (!open) return;
    items()[0]?.focus();
    const onPointerDown = ({ target }: Event) => {
      if (!menu.current!.contains(target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Escape' && open) {
      setOpen(false);
      menu.current!.querySelector('button')!.focus();
    } else if (step !== 0 && open) {
      const all = items();
      all.at((all.indexOf(document.activeElement as HTMLElement) + step) % all.length)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside
    <div class="menu" ref={menu} onKeyDown={onKeyDown}>
      <Button
        class={labelled ? '' : 'plain only'}
        aria-label={label}
        title={label}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
        {labelled && label}
      </Button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are pressed */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key press on a button is a click */}
      <div
        class="menu-list"
        hidden={!open}
        onClick={({ target }) => (target as Element).closest('a, button') && setOpen(false)}
      >
        {children}
      </div>
    </div>
  );
}
