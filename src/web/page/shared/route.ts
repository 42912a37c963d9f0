import { useEffect, useState } from 'preact/hooks';

/** Where the person is: `#/view/name`, the name escaped. */
export interface Route {
  readonly view: string;
  readonly name: string | undefined;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

export function pathTo(view: string, name?: string): string {
  return `#/${view}${name === undefined ? '' : `/${encodeURIComponent(name.toWellFormed())}`}`;
}

export function parseRoute(hash: string): Route {
  const [, view = '', name = ''] = hash.split('/');
  return { view: view || 'prompts', name: name === '' ? undefined : decoded(name) };
}

/** What somebody typed or was sent need not be escaped as it should. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
