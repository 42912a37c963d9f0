import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface Props {
  /** Identifies the stored width. */
  readonly id: string;
  /** What the list contains, for screen readers. */
  readonly listLabel: string;
  /** The button that makes a new item. */
  readonly action?: ComponentChildren;
  readonly detailLabel: string;
  /** On a narrow screen, only one of the two is shown. */
  readonly showsDetail: boolean;
  readonly list: ComponentChildren;
  readonly children: ComponentChildren;
}

const [minWidth, maxWidth, step] = [240, 900, 24];

/** A list on the left and details on the right. The line between them can be dragged, or moved with the arrow keys. */
export function Split({ id, listLabel, action, detailLabel, showsDetail, list, children }: Props) {
  // The detail has a heading of its own.
  const Heading = showsDetail ? 'h2' : 'h1';
  const key = `adjutant-width:${id}`;
  const split = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(() => Number(localStorage.getItem(key)) || undefined);
  const resize = (next: number | undefined) => {
    const kept = next === undefined ? undefined : Math.round(Math.min(maxWidth, Math.max(minWidth, next)));
    setWidth(kept);
    if (kept === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, String(kept));
  };
  const current = () => width ?? split.current!.children[0]!.clientWidth;
  const onKeyDown = (event: KeyboardEvent) => {
    const change = event.key === 'ArrowLeft' ? -step : event.key === 'ArrowRight' ? step : 0;
    if (change === 0) return;
    event.preventDefault();
    resize(current() + change);
  };
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    if (handle.hasPointerCapture(event.pointerId))
      resize(event.clientX - split.current!.getBoundingClientRect().left);
  };
  return (
    <div
      ref={split}
      class={`split ${showsDetail ? 'has-detail' : ''}`}
      style={width === undefined ? {} : { '--side': `${width}px` }}
    >
      <section class="side" aria-label={listLabel}>
        <div class="side-title">
          <Heading>{listLabel}</Heading>
          {action}
        </div>
        {list}
      </section>
      <div
        class="divider"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the list"
        title="Drag to resize. Double-click to reset."
        aria-valuemin={minWidth}
        aria-valuemax={maxWidth}
        aria-valuenow={width ?? 400}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDblClick={() => resize(undefined)}
      />
      <section class="detail" aria-label={detailLabel} tabIndex={0}>
        {children}
      </section>
    </div>
  );
}
