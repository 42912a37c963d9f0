import { useEffect, useState } from 'preact/hooks';

const changed = 'adjutant-names-changed';

/** A set of names that this browser remembers, shared by all tabs, and a function that adds or removes a name. */
export function useStoredNames(key: string): readonly [ReadonlySet<string>, (name: string) => void] {
  const [names, setNames] = useState(() => read(key));
  useEffect(() => {
    const update = () => setNames(read(key));
    for (const type of [changed, 'storage']) addEventListener(type, update);
    update();
    return () => {
      for (const type of [changed, 'storage']) removeEventListener(type, update);
    };
  }, [key]);
  const toggle = (name: string) => {
    const next = new Set(read(key));
    if (!next.delete(name)) next.add(name);
    setNames(next);
    try {
      localStorage.setItem(key, JSON.stringify([...next]));
      dispatchEvent(new Event(changed));
    } catch {
      // Inside a chat, there is no storage: the names last as long as the view.
    }
  };
  return [names, toggle];
}

function read(key: string): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(names) ? names.map(String) : []);
  } catch {
    return new Set();
  }
}

const name = 'hidden';

/** Whether this browser no longer offers the first steps, and a function that changes it. */
export function useStartHidden(): readonly [boolean, () => void] {
  const [names, toggle] = useStoredNames('adjutant-start');
  return [names.has(name), () => toggle(name)];
}
