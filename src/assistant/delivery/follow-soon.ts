import type { Store } from '../store/store.ts';
import type { Feed } from './feed.ts';

/** What other processes change is news here too, once there was time to answer the first requests. */
export function followSoon(store: Store, databaseUrl: string): () => Promise<void> {
  let feed: Promise<Feed> | undefined;
  const timer = setTimeout(() => {
    feed = import('./feed.ts').then(({ followChanges }) => followChanges(store, databaseUrl));
  }, 1000);
  timer.unref();
  return async () => {
    clearTimeout(timer);
    await (await feed)?.close();
  };
}
