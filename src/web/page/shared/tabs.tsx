interface Props<Name extends string> {
  readonly label: string;
  readonly tabs: Readonly<Partial<Record<Name, string>>>;
  readonly chosen: Name;
  choose(name: Name): void;
}

/** A tab list. The left and right arrow keys switch tabs. */
export function Tabs<Name extends string>({ label, tabs, chosen, choose }: Props<Name>) {
  const names = Object.keys(tabs) as Name[];
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const list = (event.currentTarget as Element).children;
    const next = (names.indexOf(chosen) + step + names.length) % names.length;
    if (step === 0) return;
    choose(names[next]!);
    (list[next] as HTMLElement).focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={chosen === name}
          tabIndex={chosen === name ? 0 : -1}
          onClick={() => choose(name)}
        >
          {tabs[name]}
        </button>
      ))}
    </div>
  );
}
