// Changes prompt files at random while a client follows the notifications. `npm run prove -- watch MINUTES [SEED]`
import { soakWatcher } from './parts/watch-soak.ts';

const minutes = Number(process.argv[2] ?? 10);
const seed = Number(process.argv[3] ?? 1);
const { operations, notifications, maxLagMs, silentFolders } = await soakWatcher(
  minutes * 60_000,
  seed,
  console.log,
);
console.log(
  `${minutes} minutes: ${operations} operations, ${notifications} notifications, the client was at most ${maxLagMs} ms behind, ${silentFolders.length} folders stopped notifying`,
);
if (maxLagMs > 2000 || silentFolders.length > 0) {
  console.log(silentFolders.join('\n'));
  process.exitCode = 1;
}
