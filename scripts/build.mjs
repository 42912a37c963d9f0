import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { build } from 'esbuild';

const options = {
  bundle: true,
  platform: 'node',
  // Some packages are only bundled whole from their modules.
  mainFields: ['module', 'main'],
  target: 'node24',
  format: 'cjs',
  // What is in the file is required: that is quicker than a true import, which brings in the loader of modules.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Text of one-byte characters is read faster.
  charset: 'ascii',
  // Where the program finds the files that came with it.
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'warning',
  write: false,
};

/** Our own code is one part; each outside package is one of its own, read and compiled when it is first asked for. */
const main = await build({
  ...options,
  entryPoints: ['src/main.ts'],
  packages: 'external',
  metafile: true,
});
const [{ imports }] = Object.values(main.metafile.outputs);
const packages = [...new Set(imports.map(({ path }) => path).filter((path) => !isBuiltin(path)))];
const parts = {
  // A part is already what an import of its package would give, so there is nothing to convert.
  main: main.outputFiles[0].text.replaceAll(
    /__toESM\(require\(("[^"]+")\),1\)|(?<!__toESM\()require\(("[^"]+")\)/g,
    (whole, converted, plain = converted) =>
      packages.includes(JSON.parse(plain)) ? `module.part(${plain})` : whole,
  ),
};
const unclaimed = packages.filter((name) => parts.main.includes(`require(${JSON.stringify(name)})`));
if (unclaimed.length > 0) throw new Error(`not made into a part: ${unclaimed.join(', ')}`);
for (const name of packages) {
  const contents = `import * as namespace from ${JSON.stringify(name)}; export { namespace };`;
  const part = await build({ ...options, stdin: { contents, resolveDir: '.' } });
  parts[name] = `${part.outputFiles[0].text};module.exports=module.exports.namespace;`;
}

/**
 * The parts travel in a comment at the end of the launcher: Node passes over a comment quickly, and what is compiled
 * from text goes through its compile cache, which the first file of a process cannot use. The launcher itself runs on
 * any Node and says what it needs.
 */
const launcher = (places) => `#!/usr/bin/env node
'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write('adjutant: needs Node 24 or newer; this is ' + process.version + '. Install it from nodejs.org or with "npm install -g node@24".\\n');
  process.exit(1);
}
const { closeSync, openSync, readSync } = require('node:fs');
const Module = require('node:module');
Module.enableCompileCache();
const places = ${JSON.stringify(places)};
const loaded = {};
function part(name) {
  if (loaded[name]) return loaded[name].exports;
  const [start, length] = places[name];
  const bytes = Buffer.allocUnsafe(length);
  const file = openSync(__filename);
  readSync(file, bytes, 0, length, start);
  closeSync(file);
  const own = (loaded[name] = new Module(__filename, module));
  Object.assign(own, { part, filename: __filename, paths: module.paths });
  own._compile(bytes.latin1Slice().replaceAll('*\\x01/', '*/'), __filename + '.' + name.replaceAll('/', '.') + '.cjs');
  return own.exports;
}
part('main');
/*
`;

/** The places stand in front of the parts and count themselves in. */
function place(front) {
  const places = {};
  let start = front;
  for (const [name, text] of Object.entries(texts)) {
    places[name] = [start, text.length];
    start += text.length;
  }
  const header = launcher(places);
  return header.length === front ? header : place(header.length);
}

/** In a comment, and of one-byte characters throughout: a single other one would make the whole file slower to read. */
const texts = Object.fromEntries(
  Object.entries(parts).map(([name, text]) => [
    name,
    text
      .replaceAll('*/', '*\x01/')
      .replaceAll(
        /[^\0-\x7f]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  ]),
);
const program = `${place(0)}${Object.values(texts).join('')}\n*/\n`;

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync('dist/adjutant.cjs', program);
chmodSync('dist/adjutant.cjs', 0o755);
// The template engine is WebAssembly and is loaded afresh when it breaks, so it stays a file of its own.
for (const [file, name] of [
  ['minijinja_js.js', 'minijinja_js.cjs'],
  ['minijinja_js_bg.wasm', 'minijinja_js_bg.wasm'],
])
  cpSync(`node_modules/minijinja-js/dist/node/${file}`, `dist/minijinja-js/${name}`);

await build({
  entryPoints: { main: 'src/web/page/main.tsx' },
  outdir: 'dist/page',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
});
for (const file of ['index.html', 'icon.svg']) cpSync(`src/web/page/${file}`, `dist/page/${file}`);
