import { useStoredNames } from '../controls/stored-names.ts';

const name = 'hidden';

/** Whether this browser no longer offers the first steps, and a function that changes it. */
export function useStartHidden(): readonly [boolean, () => void] {
  const [names, toggle] = useStoredNames('adjutant-start');
  return [names.has(name), () => toggle(name)];
}
