import { useEffect, useState } from 'preact/hooks';

/** Where the person is: `#/view/name`, the name escaped. */
export interface Route {
  readonly view: string;
  readonly name: string | undefined;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(parseRoute);
  useEffect(() => {
    const changed = () => setRoute(parseRoute());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

export function pathTo(view: string, name?: string): string {
  return `#/${view}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

function parseRoute(): Route {
  const [, view = 'prompts', name] = location.hash.split('/');
  return { view: view || 'prompts', name: name ? decodeURIComponent(name) : undefined };
}
