import type { McpClient } from './mcp-client.ts';

export const changeKinds = ['prompts', 'resources', 'tools'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What the tab that listens tells the others. */
type News = { readonly kind: ChangeKind } | { readonly uri: string } | { readonly live: boolean };
/** What the others tell the tab that listens: the resources they look at, all of them when it asks. */
type Wish = { readonly wanted: readonly string[] } | { readonly asks: true };

/**
 * One stream for all tabs of a browser: it allows only a few connections to one host, and a stream in each tab would
 * leave none to ask with. The tab that holds the lock listens, for every resource that any tab looks at.
 */
export class ChangeStream {
  readonly #client: McpClient;
  readonly #take: (news: News) => void;
  readonly #others = 'locks' in navigator ? new BroadcastChannel('adjutant-changes') : undefined;
  readonly #ended = new AbortController();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Of all tabs. What a tab looked at once stays: a notification too many does no harm. */
  readonly #wanted = new Set<string>();
  #stream: AbortController | undefined;

  constructor(client: McpClient, changed: (kind: ChangeKind) => void, state: (live: boolean) => void) {
    this.#client = client;
    this.#take = (news) => {
      if ('live' in news) state(news.live);
      else if ('kind' in news) changed(news.kind);
      else for (const told of this.#watchers.get(news.uri) ?? []) told();
    };
    if (this.#others === undefined) this.#listen([]);
    else this.#takeTurns(this.#others);
  }

  /** Tells of every change of one resource from now on. */
  watch(uri: string, told: () => void): () => void {
    const known = this.#watchers.get(uri);
    this.#watchers.set(uri, (known ?? new Set()).add(told));
    if (known === undefined) {
      this.#others?.postMessage({ wanted: [uri] } satisfies Wish);
      this.#want([uri]);
    }
    return () => {
      const all = this.#watchers.get(uri);
      if (all?.delete(told) && all.size === 0) this.#watchers.delete(uri);
    };
  }

  /** Tells every watcher, after a time in which nothing could be heard. */
  tellAll(): void {
    for (const all of this.#watchers.values()) for (const told of all) told();
  }

  close(): void {
    this.#ended.abort();
    this.#others?.close();
  }

  #takeTurns(others: BroadcastChannel): void {
    others.onmessage = ({ data }: MessageEvent<News | Wish>) => {
      if ('asks' in data) others.postMessage({ wanted: [...this.#watchers.keys()] } satisfies Wish);
      else if ('wanted' in data) this.#want(data.wanted);
      else this.#take(data);
    };
    // Until the tab that listens says otherwise, there is one.
    this.#take({ live: true });
    const { signal } = this.#ended;
    const hold = () => {
      others.postMessage({ asks: true } satisfies Wish);
      this.#listen([]);
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    navigator.locks.request('adjutant-changes', { signal }, hold).catch(() => {});
  }

  #want(uris: readonly string[]): void {
    const fresh = uris.filter((uri) => !this.#wanted.has(uri));
    for (const uri of fresh) this.#wanted.add(uri);
    if (fresh.length > 0 && this.#stream !== undefined) this.#listen(fresh);
  }

  /** Begins a stream for all that is wanted; the one before goes on until the new one stands, so that nothing is missed. */
  #listen(fresh: readonly string[]): void {
    const before = this.#stream;
    const stream = new AbortController();
    this.#stream = stream;
    let begun = before === undefined;
    const filter = {
      ...Object.fromEntries(changeKinds.map((kind) => [`${kind}ListChanged`, true])),
      ...(this.#wanted.size > 0 && { resourceSubscriptions: [...this.#wanted] }),
    };
    void this.#client.listen(
      filter,
      (method, { uri }) => {
        const kind = changeKinds.find((one) => method === `notifications/${one}/list_changed`);
        if (kind) this.#tell({ kind });
        else if (method === 'notifications/resources/updated') this.#tell({ uri: String(uri) });
      },
      (live) => {
        before?.abort();
        if (begun || !live) this.#tell({ live });
        // They may have changed between the first look and now.
        else for (const uri of fresh) this.#tell({ uri });
        begun = true;
      },
      AbortSignal.any([stream.signal, this.#ended.signal]),
    );
  }

  #tell(news: News): void {
    if (this.#ended.signal.aborted) return;
    this.#take(news);
    this.#others?.postMessage(news);
  }
}
