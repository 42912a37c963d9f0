import { useEffect, useMemo, useState } from 'preact/hooks';

/** The current location: `#/view/name/part`, with the name and the part percent-encoded. */
export interface Route {
  readonly view: string;
  readonly name: string | undefined;
  /** A part of the named item, such as its tab. */
  readonly part?: string | undefined;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    // The address may have changed between the first rendering and this effect.
    update();
    return () => removeEventListener('hashchange', update);
  }, []);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function pathTo(view: string, name?: string, part?: string): string {
  const segments = [name, part].filter((segment) => segment !== undefined);
  return `#/${[view, ...segments.map((segment) => encodeURIComponent(segment.toWellFormed()))].join('/')}`;
}

export function parseRoute(hash: string): Route {
  const [, view = '', name = '', part = ''] = hash.split('/');
  return { view: view || 'prompts', name: decodeName(name), part: decodeName(part) };
}

/** An address that was typed or shared may contain invalid percent-encoding. The name is then used as it is. */
function decodeName(name: string): string | undefined {
  if (name === '') return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
