import type { McpClient } from './mcp-client.ts';

export const changeKinds = ['prompts', 'resources', 'tools'] as const;
export type ChangeKind = (typeof changeKinds)[number];

type News = { readonly kind: ChangeKind } | { readonly live: boolean };

/**
 * One stream for all tabs of a browser: it allows only a few connections to one host, and a stream in each tab would
 * leave none to ask with. The tab that holds the lock listens and tells the others.
 */
export async function listenTogether(
  client: McpClient,
  changed: (kind: ChangeKind) => void,
  state: (live: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  const take = (news: News) => ('kind' in news ? changed(news.kind) : state(news.live));
  if (!('locks' in navigator)) return listen(client, take, signal);
  const others = new BroadcastChannel('adjutant-changes');
  signal.addEventListener('abort', () => others.close());
  others.onmessage = (event: MessageEvent<News>) => take(event.data);
  // Until the tab that listens says otherwise, there is one.
  state(true);
  const tell = (news: News) => {
    take(news);
    if (!signal.aborted) others.postMessage(news);
  };
  await navigator.locks
    .request('adjutant-changes', { signal }, () => listen(client, tell, signal))
    .catch(() => {});
}

function listen(client: McpClient, tell: (news: News) => void, signal: AbortSignal): Promise<void> {
  const filter = Object.fromEntries(changeKinds.map((kind) => [`${kind}ListChanged`, true]));
  return client.listen(
    filter,
    (method) => {
      const kind = changeKinds.find((one) => method === `notifications/${one}/list_changed`);
      if (kind) tell({ kind });
    },
    (live) => tell({ live }),
    signal,
  );
}
