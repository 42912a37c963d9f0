// Runs the server from source and restarts it when a file changes. Rebuilds the page when it changes.
// Arguments go to `adjutant serve --http`: `npm run dev -- --port 8000`.
import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { build, context } from 'esbuild';
import { buildApps, page, pageFiles } from './page.mjs';

for (const file of pageFiles) cpSync(`src/web/page/${file}`, `dist/page/${file}`);
const bundling = await context(page);
await bundling.watch();
await buildApps(build);

const server = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', 'src/main.ts', 'serve', '--http', ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', async (code) => {
  await bundling.dispose();
  process.exitCode = code ?? 0;
});
