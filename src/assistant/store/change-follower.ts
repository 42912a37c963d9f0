import { log } from '../../log.ts';
import type { Feed } from './change-feed.ts';
import type { Store } from './store.ts';

/** What other processes change is news here too, once there was time to answer the first requests. */
export function followChangesSoon(store: Store, databaseUrl: string): () => Promise<void> {
  let feed: Promise<Feed | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const follow = () => {
    feed = import('./change-feed.ts')
      .then(({ followChanges }) => followChanges(store, databaseUrl))
      .catch((error) => {
        log('warning', 'changes by other processes are not followed yet', error);
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
