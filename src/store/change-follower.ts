import { log } from '../log.ts';
import type { Feed } from './change-feed.ts';
import type { Store } from './store.ts';

/** Starts following changes by other processes after a short delay, so that the first requests are not slowed down. */
export function followChangesSoon(store: Store, databaseUrl: string): () => Promise<void> {
  let feed: Promise<Feed | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const follow = () => {
    feed = import('./change-feed.ts')
      .then(({ followChanges }) => followChanges(store, databaseUrl))
      .catch((error) => {
        log('warning', 'could not start following changes by other processes; retrying', error);
        wait();
        return undefined;
      });
  };
  const wait = () => {
    if (!isClosed) timer = setTimeout(follow, 1000).unref();
  };
  wait();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await (await feed)?.close();
  };
}
