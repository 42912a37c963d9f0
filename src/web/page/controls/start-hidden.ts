import { useEffect, useState } from 'preact/hooks';

const key = 'adjutant-start';
const changed = 'adjutant-start-changed';
const read = () => localStorage.getItem(key)?.includes('hidden') ?? false;

/** Whether this browser no longer offers the first steps, in any of its tabs, and a function that changes it. */
export function useStartHidden(): readonly [boolean, () => void] {
  const [hidden, setHidden] = useState(read);
  useEffect(() => {
    const update = () => setHidden(read());
    for (const type of [changed, 'storage']) addEventListener(type, update);
    update();
    return () => {
      for (const type of [changed, 'storage']) removeEventListener(type, update);
    };
  }, []);
  const toggle = () => {
    if (read()) localStorage.removeItem(key);
    else localStorage.setItem(key, 'hidden');
    dispatchEvent(new Event(changed));
  };
  return [hidden, toggle];
}
