import { useEffect, useMemo, useState } from 'preact/hooks';

/** A location: `#/view/name/part?key=value`, with every piece percent-encoded. The address holds all that a view shows. */
export interface Route {
  readonly view: string;
  readonly name: string | undefined;
  /** A part of the named item, such as its tab. */
  readonly part?: string | undefined;
  /** How the view shows it, such as a filter or a day. */
  readonly query: Readonly<Record<string, string>>;
}

/** Where the page is now. */
export const currentRoute = () => parseRoute(location.hash);

/** Goes to a path. `replace` leaves no entry in the history, for what is typed. */
export function goTo(path: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = path;
    return;
  }
  history.replaceState(null, '', path);
  dispatchEvent(new Event('hashchange'));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    // The address may have changed between the first rendering and this effect.
    update();
    return () => removeEventListener('hashchange', update);
  }, []);
  return useMemo(() => parseRoute(hash), [hash]);
}

/**
 * One value of the address, and a function that changes it. The value `otherwise` is not written. Back leads to the value
 * before, unless it is `typed`.
 */
export function useAddressed<Value extends string>(
  key: string,
  otherwise: Value,
  { typed = false } = {},
): readonly [Value, (value: Value) => void] {
  const value = (useRoute().query[key] ?? otherwise) as Value;
  const set = (next: Value) => {
    const { view, name, part, query } = currentRoute();
    const { [key]: _, ...others } = query;
    if (next === (query[key] ?? otherwise)) return;
    goTo(pathTo(view, name, part, next === otherwise ? others : { ...others, [key]: next }), {
      replace: typed,
    });
  };
  return [value, set];
}

/** The path of another item of the same list, which keeps the search and the filters of the list. */
export function pathBeside(view: string, name?: string, part?: string): string {
  const { view: current, query } = currentRoute();
  const { find, source, folder, only } = query;
  const kept = Object.entries({ find, source, folder, only }).filter(([, value]) => value !== undefined);
  return pathTo(
    view,
    name,
    part,
    view === current ? (Object.fromEntries(kept) as Record<string, string>) : {},
  );
}

export function pathTo(
  view: string,
  name?: string,
  part?: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const segments = [name, part].filter((segment) => segment !== undefined);
  const path = [view, ...segments.map((segment) => encodeURIComponent(segment.toWellFormed()))].join('/');
  const values = new URLSearchParams(query).toString();
  return `#/${path}${values && `?${values}`}`;
}

export function parseRoute(hash: string): Route {
  const [path = '', values = ''] = hash.split(/\?(.*)/s);
  const [, view = '', name = '', part = ''] = path.split('/');
  const query = Object.fromEntries(new URLSearchParams(values));
  return { view: view || 'today', name: decodeName(name), part: decodeName(part), query };
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
