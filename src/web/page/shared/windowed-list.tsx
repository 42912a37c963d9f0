import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly rowHeight: number;
  readonly label: string;
  readonly selected?: number;
  render(item: Item, index: number): ComponentChildren;
  keyOf(item: Item): string;
  /** Called when an arrow key, Home or End moves to another item. */
  choose?(item: Item): void;
}

/** A list of any length that renders only the visible rows. */
export function WindowedList<Item>(props: Props<Item>) {
  const { items, rowHeight, label, selected, render, keyOf, choose } = props;
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
  const move = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, selected ?? -1, items.length);
    if (choose === undefined || next === undefined) return;
    event.preventDefault();
    // Focus the list itself, because the focused row may be removed when the list scrolls.
    box.current!.focus();
    choose(items[next]!);
  };
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
      onKeyDown={move}
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

/** The index a navigation key moves to, or `undefined` for every other key. */
export function nextIndex(key: string, index: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, next));
}
