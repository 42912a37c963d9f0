// Replaces the tags of actions and base images by the commits and digests that they name now, with the tag as a comment.
// `node scripts/pin.mjs` changes the files; `--check` fails if one is not pinned. It needs the network, `git` and `docker`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const workflows = '.github/workflows';
const files = ['Dockerfile', ...readdirSync(workflows).map((name) => `${workflows}/${name}`)];
const action = /(uses: )([\w-]+\/[\w-]+)((?:\/[\w-]+)*)@(v[\w.]+)$/gm;
const image = /^(FROM )(node:[\w.-]+)(?= |$)(?!@)/gm;

const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8' });

function commitOf(repository, tag) {
  const lines = run(
    'git',
    'ls-remote',
    `https://github.com/${repository}`,
    tag,
    `refs/tags/${tag}^{}`,
  ).trim();
  // The last line is the commit of an annotated tag.
  const commit = lines.split('\n').at(-1)?.split('\t')[0];
  if (!/^[\da-f]{40}$/.test(commit ?? '')) throw new Error(`${repository} has no tag ${tag}`);
  return commit;
}

function digestOf(name) {
  const digest = run(
    'docker',
    'buildx',
    'imagetools',
    'inspect',
    name,
    '--format',
    '{{.Manifest.Digest}}',
  ).trim();
  if (!/^sha256:[\da-f]{64}$/.test(digest)) throw new Error(`${name} has no digest`);
  return digest;
}

let unpinned = 0;
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(action), ...text.matchAll(image)].map(([line]) => line.trim());
  unpinned += found.length;
  if (process.argv.includes('--check')) {
    for (const line of found) console.error(`${file}: ${line} is not pinned; run node scripts/pin.mjs`);
    continue;
  }
  const pinned = text
    .replaceAll(
      action,
      (_, uses, repository, path, tag) => `${uses}${repository}${path}@${commitOf(repository, tag)} # ${tag}`,
    )
    .replaceAll(image, (_, from, name) => `${from}${name}@${digestOf(name)}`);
  if (pinned !== text) writeFileSync(file, pinned);
}
if (process.argv.includes('--check') && unpinned > 0) process.exitCode = 1;
