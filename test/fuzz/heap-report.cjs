// Preloaded into the program under test: on SIGUSR2 it collects garbage and prints its memory usage.
process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`heap ${heapUsed} resident ${rss}\n`);
});
