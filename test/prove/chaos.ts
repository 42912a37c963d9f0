// Everything at once, with everything failing, on SQLite and PostgreSQL. `npm run prove -- chaos MINUTES [SEED]` prints a table and
// exits with 1 if something that was acknowledged is lost, done twice or reported wrongly.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { playChaos } from '../chaos/chaos.ts';
import { chaosTable } from '../chaos/table.ts';
import type { Engine } from '../chaos/world.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const engines: readonly Engine[] = ['SQLite', 'PostgreSQL'];
const diskMb = 256;
const insideVariable = 'ADJUTANT_CHAOS_FOLDER';

const minutes = Number(process.argv[2] ?? 10);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 1_000_000));

/** Runs this program again with a small disk for each engine, which only its own processes see. */
function runOnSmallDisks(folder: string): number | undefined {
  const mounts = engines.map((engine) => `mount -t tmpfs -o size=${diskMb}m,mode=755 tmpfs "$0/${engine}"`);
  const isRoot = process.getuid?.() === 0;
  const own = ['--user', `--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`];
  const script = `${mounts.join(' && ')} || exit 99; exec ${isRoot ? '' : `unshare ${own.join(' ')} -- `}"$@"`;
  const namespaces = [
    '--mount',
    '--propagation',
    'private',
    ...(isRoot ? [] : ['--user', '--map-root-user']),
  ];
  const { status } = spawnSync(
    'unshare',
    [
      ...namespaces,
      '--',
      'sh',
      '-c',
      script,
      folder,
      process.execPath,
      import.meta.filename,
      `${minutes}`,
      `${seed}`,
    ],
    { stdio: 'inherit', env: { ...process.env, [insideVariable]: folder } },
  );
  return status === 99 || status === null ? undefined : status;
}

async function play(folder: string, isSmallDisk: boolean): Promise<number> {
  console.log(`${minutes} minutes, seed ${seed}, load of the machine ${loadavg()[0]!.toFixed(1)}`);
  const model = await startResponsesModel();
  try {
    const results = await Promise.all(
      engines.map((engine, at) =>
        playChaos({
          engine,
          milliseconds: minutes * 60_000,
          seed: seed + 1000 * at,
          folder: join(folder, engine),
          isSmallDisk,
          model,
        }),
      ),
    );
    console.log(chaosTable(results));
    const problems = results.flatMap((result) => result.problems.map((one) => `${result.engine}: ${one}`));
    console.log(
      problems.length === 0
        ? '\nNo problems.'
        : `\n${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}:\n${problems.join('\n')}`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    await model.close();
  }
}

const inside = process.env[insideVariable];
if (inside !== undefined) process.exitCode = await play(inside, true);
else {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-chaos-'));
  for (const engine of engines) mkdirSync(join(folder, engine));
  try {
    process.exitCode = runOnSmallDisks(folder) ?? (await play(folder, false));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
