import { useEffect, useState } from 'preact/hooks';

/** The current location: `#/view/name`, with the name percent-encoded. */
export interface Route {
  readonly view: string;
  readonly name: string | undefined;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const update = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}

export function pathTo(view: string, name?: string): string {
  return `#/${view}${name === undefined ? '' : `/${encodeURIComponent(name.toWellFormed())}`}`;
}

export function parseRoute(hash: string): Route {
  const [, view = '', name = ''] = hash.split('/');
  return { view: view || 'prompts', name: name === '' ? undefined : decodeName(name) };
}

/** An address that was typed or shared may contain invalid percent-encoding. The name is then used as it is. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
