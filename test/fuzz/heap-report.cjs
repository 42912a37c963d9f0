// Loaded into the program under test: on a signal it collects its garbage and tells what is left.
process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`heap ${heapUsed} resident ${rss}\n`);
});
