// Runs benchmarks or proofs by name: `npm run bench -- search page`, `npm run prove -- chaos 60 7`. Each file in `bench` and in
// `test/prove` is one, and its first comment says what it shows. Words after the last name are its arguments. Without a name,
// lists all; `npm run bench` alone runs `performance`, and `npm run bench -- --list` lists the benchmarks.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [kind, ...words] = process.argv.slice(2);
const folder = { bench: 'bench', prove: join('test', 'prove') }[kind];
const all = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const wanted = kind === 'bench' && words.length === 0 ? ['performance'] : words;
const firstArgument = wanted.findIndex((word) => !all.includes(word));
const names = firstArgument < 0 ? wanted : wanted.slice(0, firstArgument);
const args = firstArgument < 0 ? [] : wanted.slice(firstArgument);

if (wanted.length === 0 || (wanted.length === 1 && wanted[0] === '--list')) list();
else if (names.length === 0)
  fail(`there is no ${wanted[0]}; \`npm run ${kind} -- --list\` lists what there is`);
else if (names.length > 1 && args.length > 0)
  fail(`${args[0]} is not a name; arguments are possible with one name only`);
else run();

function list() {
  const width = Math.max(...all.map((name) => name.length));
  for (const name of all) process.stdout.write(`${name.padEnd(width)}  ${summary(name)}\n`);
}

/** The first sentence of the comment at the start of a file. */
function summary(name) {
  const [comment] = /^(?:\/\/ .*\n)+/.exec(readFileSync(join(folder, `${name}.ts`), 'utf8')) ?? [''];
  return comment.replaceAll(/^\/\/ |\n(?=.)/gm, (part) => (part === '\n' ? ' ' : '')).split(/(?<=\.)\s/)[0];
}

function run() {
  if (!succeeds(process.execPath, 'scripts/setup.mjs', '--test')) process.exit(1);
  for (const name of names) {
    if (names.length > 1) process.stdout.write(`\n── ${name}\n`);
    // The setup has installed the Node version of the project, which npm puts first on the PATH.
    if (!succeeds('node', join(folder, `${name}.ts`), ...args)) process.exitCode = 1;
  }
}

function succeeds(program, ...rest) {
  return spawnSync(program, rest, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

function fail(message) {
  process.stderr.write(`${kind}: ${message}\n`);
  process.exitCode = 2;
}
