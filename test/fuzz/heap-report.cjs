// Preloaded into the program under test: on SIGUSR2 it collects garbage and prints its memory usage.
const { getHeapStatistics } = require('node:v8');

process.on('SIGUSR2', () => {
  globalThis.gc();
  let rss = 0;
  try {
    rss = process.memoryUsage.rss();
  } catch {
    // Reading it needs a free file handle.
  }
  process.stderr.write(`heap ${getHeapStatistics().used_heap_size} resident ${rss}\n`);
});
