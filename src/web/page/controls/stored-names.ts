import { useEffect, useState } from 'preact/hooks';

const changed = 'adjutant-names-changed';

/** A set of names that this browser remembers, shared by all tabs, and a function that adds or removes a name. */
function useStoredNames(key: string): readonly [ReadonlySet<string>, (name: string) => void] {
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
    localStorage.setItem(key, JSON.stringify([...next]));
    dispatchEvent(new Event(changed));
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
