// Prepares a clone: installs dependencies and Node 24, and builds. Runs on Node 20 or newer and skips steps that are done.
// As the script `prepare`, it also runs within `npm install`, `npm pack` and `npm publish`.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfOld } from './fresh-build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const npm = process.env.npm_execpath;
const running = 'adjutant_setup';
// The install below runs `prepare` again; stop here in that case.
if (process.env[running]) process.exit();

/** The environment for our own npm calls, without settings of the calling npm, which may pack or install elsewhere. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isCallerSetting(name))),
  [running]: '1',
};
function isCallerSetting(name) {
  const settings =
    /^npm_config_(global|location|prefix|local_prefix|dry_run|omit|include|only|production|save.*|package_lock.*|json|ignore_scripts|workspaces?|install_links)$/i;
  return settings.test(name) || name === 'NODE_ENV';
}

async function run(folder, ...args) {
  const [program, first] = npm
    ? [process.execPath, [npm]]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  // npm's output goes to stderr, because callers may parse stdout.
  const child = spawn(program, [...first, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 2, 2],
    // Node starts no command files without a shell.
    shell: program.endsWith('.cmd'),
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}`);
}

async function install(folder) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stderr.write(`Installing dependencies of ${folder === root ? 'Adjutant' : 'the tests'}…\n`);
  // Not `npm ci`: it fails if the registry lacks optional packages of other platforms.
  await run(folder, 'install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error');
  writeFileSync(stamp, lock);
}

/** The package `node` downloads its binary in an install script. If install scripts are disabled, it is run here. */
function ensureNode() {
  const node = join(root, 'node_modules', '.bin', 'node');
  try {
    execFileSync(node, ['-e', '']);
  } catch {
    execFileSync(process.execPath, ['installArchSpecificPackage.js'], {
      cwd: join(root, 'node_modules', 'node'),
      stdio: ['ignore', 2, 2],
    });
  }
}

async function prepare() {
  await install(root);
  ensureNode();
  buildIfOld();
}

// The dependencies of the tests are many, and need nothing of ours.
await Promise.all([
  prepare(),
  process.argv.includes('--test') ? install(join(root, 'test', 'components')) : undefined,
]);
