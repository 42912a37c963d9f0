import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['src/main.ts'],
  bundle: true,
  platform: 'node',
  // Some packages are only bundled whole from their modules.
  mainFields: ['module', 'main'],
  target: 'node24',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // A string of one-byte characters is read faster.
  charset: 'ascii',
  // Where the program finds the files that came with it.
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'warning',
  write: false,
});

/**
 * The program travels in its launcher as text: Node skips over a string quickly and compiles the text through its
 * compile cache, which the first file of a process cannot use. The launcher itself runs on any Node and says what it
 * needs.
 */
const launcher = `#!/usr/bin/env node
'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write('adjutant: needs Node 24 or newer; this is ' + process.version + '. Install it from nodejs.org or with "npm install -g node@24".\\n');
  process.exit(1);
}
const Module = require('node:module');
Module.enableCompileCache();
const program = new Module(__filename, module);
program.filename = __filename;
program.paths = module.paths;
program._compile(${JSON.stringify(outputFiles[0].text)}, __filename + '.program.cjs');
`;

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync('dist/adjutant.cjs', launcher);
chmodSync('dist/adjutant.cjs', 0o755);
// The template engine is WebAssembly and is loaded afresh when it breaks, so it stays a file of its own.
for (const [file, name] of [
  ['minijinja_js.js', 'minijinja_js.cjs'],
  ['minijinja_js_bg.wasm', 'minijinja_js_bg.wasm'],
])
  cpSync(`node_modules/minijinja-js/dist/node/${file}`, `dist/minijinja-js/${name}`);
