// Prepares a release. `node scripts/release.mjs NAME` replaces the placeholder for the repository's owner in all files;
// `--check` fails if a placeholder is left or the versions differ.
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';

// Written in two parts, so that this file does not contain the placeholder.
const placeholder = `${'OWNER'}/adjutant`;

/** Tracked files that contain the placeholder. */
function unfilled() {
  return execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && lstatSync(file, { throwIfNoEntry: false })?.isFile())
    .filter((file) => readFileSync(file).includes(placeholder));
}

function fill(owner) {
  // The rules of GitHub for account names.
  if (!/^(?!.*--)[a-z\d][a-z\d-]{0,38}(?<!-)$/i.test(owner))
    throw new Error(`"${owner}" is not the name of a GitHub account: use letters, digits and single hyphens`);
  for (const file of unfilled())
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(placeholder, `${owner}/adjutant`));
}

/** What still prevents a release, one line each. */
function problems() {
  const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
  const { version } = json('package.json');
  const server = json('server.json');
  const versions = {
    'server.json': server.version,
    'server.json (packages)': server.packages[0].version,
    'package-lock.json': json('package-lock.json').version,
    // GitHub sets it for a release.
    ...(process.env.GITHUB_REF_TYPE === 'tag' && {
      'the tag': process.env.GITHUB_REF_NAME.replace(/^v/, ''),
    }),
  };
  return [
    ...unfilled().map((file) => `${file} contains "${placeholder}": run node scripts/release.mjs NAME`),
    ...Object.entries(versions)
      .filter(([, other]) => other !== version)
      .map(([where, other]) => `${where} has version ${other}, but package.json has ${version}`),
  ];
}

const [argument] = process.argv.slice(2);
try {
  if (argument === undefined) throw new Error('usage: node scripts/release.mjs NAME | --check');
  if (argument !== '--check') fill(argument);
  const found = problems();
  if (found.length > 0) throw new Error(found.join('\n'));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
