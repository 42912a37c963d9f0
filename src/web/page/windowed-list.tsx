import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly rowHeight: number;
  readonly label: string;
  readonly selected?: number;
  render(item: Item, index: number): ComponentChildren;
  keyOf(item: Item): string;
}

/** Only the rows in sight are in the document, however long the list is. */
export function WindowedList<Item>({ items, rowHeight, label, selected, render, keyOf }: Props<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = new ResizeObserver(() => setHeight(element.clientHeight));
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (selected === undefined || selected < 0) return;
    const element = box.current!;
    const [start, end] = [selected * rowHeight, (selected + 1) * rowHeight];
    if (start < element.scrollTop) element.scrollTop = start;
    else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
  }, [selected, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - 5);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + 5);
  return (
    <div
      class="windowed"
      ref={box}
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${items.length * rowHeight}px`, position: 'relative' }} role="presentation">
        {items.slice(first, last).map((item, offset) => (
          <div
            key={keyOf(item)}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={first + offset + 1}
            class="windowed-row"
            style={{ transform: `translateY(${(first + offset) * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {render(item, first + offset)}
          </div>
        ))}
      </div>
    </div>
  );
}
