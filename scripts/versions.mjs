// Copies the version of package.json to the other files that state it. `npm version` runs it before it commits.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = ['server.json'];
for (const file of files)
  writeFileSync(
    file,
    // Replacing the text keeps the formatting.
    readFileSync(file, 'utf8').replaceAll(/(?<="version": ")[^"]+/g, version),
  );
execFileSync('git', ['add', ...files]);
