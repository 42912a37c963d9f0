import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, transform } from 'esbuild';

const style = {
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Text of one-byte characters is read faster.
  charset: 'ascii',
};

/** Every import that waits until it is needed begins a chunk of its own; what several of them share is one as well. */
const { outputFiles, metafile } = await build({
  ...style,
  entryPoints: ['src/main.ts'],
  outdir: '.',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // Some packages are only bundled whole from their modules.
  mainFields: ['module', 'main'],
  // Where the program finds the files that came with it.
  define: { 'import.meta.dirname': '__dirname' },
  metafile: true,
  logLevel: 'warning',
  write: false,
});
/** An import of CommonJS has its names beside its default, as Node gives them; the bundler has the default alone. */
const withNames =
  ';{const all=module.exports.default;module.exports=Object.create(null,Object.getOwnPropertyDescriptors(all));Object.defineProperties(module.exports,{default:{value:all},__esModule:{value:true}})}';
const chunks = await Promise.all(
  Object.entries(metafile.outputs).map(async ([name, { inputs, entryPoint }], index) => {
    const { code } = await transform(outputFiles[index].text, {
      ...style,
      format: 'cjs',
      // Our own names stay, for the sake of whoever reads where an error came from.
      minifyIdentifiers: Object.keys(inputs).every((input) => input.includes('node_modules')),
      // What is in the file is required: that is quicker than a true import, which brings in the loader of modules.
      supported: { 'dynamic-import': false },
    });
    const own = JSON.stringify(`./${name}`);
    const named = entryPoint && metafile.inputs[entryPoint].format === 'cjs' ? withNames : '';
    return [`./${name}`, `chunks[${own}]=function(module,exports,require){${code}${named}};`];
  }),
);

/** What a server on stdio needs before its first answer is one part; each other chunk is a part of its own. */
const atStart = new Set();
function begin(name) {
  if (atStart.has(`./${name}`)) return;
  atStart.add(`./${name}`);
  for (const { path, kind, external } of metafile.outputs[name].imports)
    if (kind === 'import-statement' && !external) begin(path);
}
for (const [name, { entryPoint }] of Object.entries(metafile.outputs))
  if (entryPoint === 'src/main.ts' || entryPoint === 'src/cli/serve.ts') begin(name);
const parts = [
  chunks.filter(([name]) => atStart.has(name)),
  ...chunks.filter(([name]) => !atStart.has(name)).map((chunk) => [chunk]),
];

/**
 * The parts travel in a comment at the end of the launcher: Node passes over a comment quickly. What the start needs is
 * kept compiled in a file beside it, as it stood a moment after a start, so that the next one compiles nothing; V8 itself
 * refuses what another version or other flags have made. All other parts go through Node's own compile cache. The
 * launcher runs on any Node and says what it needs.
 */
const launcher = (places) => `#!/usr/bin/env node
'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write('adjutant: needs Node 24 or newer; this is ' + process.version + '. Install it from nodejs.org or with "npm install -g node@24".\\n');
  process.exit(1);
}
const fs = require('node:fs');
const Module = require('node:module');
const { Script } = require('node:vm');
/** Where the part begins that holds a chunk, and how long it is. */
const places = ${JSON.stringify(places)};
const chunks = {};
const loaded = {};
function load(name) {
  if (loaded[name]) return loaded[name].exports;
  if (!places[name]) return require(name);
  if (!chunks[name]) readPart(...places[name]);
  loaded[name] = { exports: {} };
  chunks[name](loaded[name], loaded[name].exports, load);
  return loaded[name].exports;
}
function textOf(start, length) {
  const bytes = Buffer.allocUnsafe(length);
  const file = fs.openSync(__filename);
  fs.readSync(file, bytes, 0, length, start);
  fs.closeSync(file);
  return bytes.latin1Slice().replaceAll('*\\x01/', '*/');
}
function readPart(start, length) {
  Module.enableCompileCache();
  const part = Object.assign(new Module(__filename, module), { filename: __filename, paths: module.paths, chunks });
  part._compile(textOf(start, length), __filename + '.' + start + '.cjs');
}
function readStart(start, length) {
  const file = __dirname + '/start-${fingerprint}-' + process.version + '.cache';
  let cachedData;
  try {
    cachedData = fs.readFileSync(file);
  } catch {}
  const text = '(function(module,__filename,__dirname){' + textOf(start, length) + '\\n})';
  const script = new Script(text, { filename: __filename + '.start.cjs', cachedData });
  script.runInThisContext()({ chunks }, __filename, __dirname);
  if ((cachedData && !script.cachedDataRejected) || process.argv[2] !== 'serve') return;
  const keep = () => {
    clearTimeout(soon);
    process.off('exit', keep);
    try {
      fs.writeFileSync(file + '.' + process.pid, script.createCachedData());
      fs.renameSync(file + '.' + process.pid, file);
    } catch {}
  };
  const soon = setTimeout(keep, 1000).unref();
  process.once('exit', keep);
}
readStart(...places['./main.js']);
load('./main.js');
/*
`;

/** In a comment, and of one-byte characters throughout: a single other one would make the whole file slower to read. */
const texts = parts.map((part) =>
  `const {chunks}=module;${part.map(([, text]) => text).join('')}`
    .replaceAll('*/', '*\x01/')
    .replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
);

const fingerprint = createHash('sha256').update(texts[0]).digest('hex').slice(0, 16);

/** The places stand in front of the parts and count themselves in. */
function withPlaces(front) {
  const places = {};
  let start = front;
  for (const [index, { length }] of texts.entries()) {
    for (const [name] of parts[index]) places[name] = [start, length];
    start += length;
  }
  const header = launcher(places);
  return header.length === front ? header : withPlaces(header.length);
}
const program = `${withPlaces(0)}${texts.join('')}\n*/\n`;

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

// The first start of a fresh build is as quick as any other.
const home = mkdtempSync(join(tmpdir(), 'adjutant-build-'));
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
execFileSync(process.execPath, ['dist/adjutant.cjs', 'serve', '--home', home], {
  input: `${JSON.stringify(initialize)}\n`,
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ADJUTANT_'))),
});
rmSync(home, { recursive: true });
