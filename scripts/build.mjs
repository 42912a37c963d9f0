// Builds dist: the program as CommonJS chunks, its launcher, and the page.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { leanMap } from './lean-map.mjs';
import { bundledPackages, notices } from './notices.mjs';
import { buildApps, buildPage, pageFiles } from './page.mjs';

const startedAt = new Date();
const style = {
  target: 'node24',
  legalComments: 'none',
  // Node reads a file faster if it contains only one-byte characters.
  charset: 'ascii',
  sourcesContent: false,
  logLevel: 'warning',
  // Names stay as they are in our own code, so that a stack trace names functions.
  minifyWhitespace: true,
  minifySyntax: true,
  // Short lines keep the columns in a source map small.
  lineLimit: 120,
};

const smallInputs = {
  name: 'small inputs',
  setup({ onLoad }) {
    // The program uses only the version of its own package.json.
    onLoad({ filter: /package\.json$/ }, async ({ path }) => {
      if (path !== resolve('package.json')) return undefined;
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { ...style, minify: true });
      return { contents: code };
    });
  },
};

// 1. Split the program: every `await import()` starts a chunk, and shared code becomes chunks too. esbuild can split only
// ES modules.
const { outputFiles, metafile } = await build({
  ...style,
  entryPoints: ['src/main.ts', 'src/stack-trace.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  sourcemap: 'inline',
  // Some packages can be bundled completely only from their ES modules.
  mainFields: ['module', 'main'],
  // The program uses it to find files beside itself.
  define: { 'import.meta.dirname': '__dirname' },
  plugins: [smallInputs],
  metafile: true,
  write: false,
});
const textOf = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));

// 2. Collect the chunks that a server on stdio needs for its first answer, and those that it loads right after it.
const groups = { start: new Set(), features: new Set() };
const groupOf = (name) => Object.keys(groups).find((group) => groups[group].has(name));
function addTo(group, name) {
  if (groupOf(name) !== undefined) return;
  for (const { path, kind, external } of outputs.get(name).imports)
    if (kind === 'import-statement' && !external) addTo(group, basename(path));
  groups[group].add(name);
}
for (const [group, entry] of [
  ['start', 'src/cli/serve.ts'],
  ['start', 'src/main.ts'],
  ['features', 'src/cli/full-server.ts'],
])
  for (const [name, { entryPoint }] of outputs) if (entryPoint === entry) addTo(group, name);

const toCommonJs = {
  ...style,
  format: 'cjs',
  sourcemap: 'external',
  // Requiring a chunk is faster than importing it, which would load Node's ES module loader.
  supported: { 'dynamic-import': false },
};
const exportName = (name) => name.replace(/\W/g, '_');
const fileOf = (name) => name.replace(/js$/, 'cjs');

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
function rewrite(code) {
  return (
    code
      // The chunks of a group are in one file.
      .replaceAll(/require\("\.\/(.+?\.js)"\)/g, (_, other) => {
        const group = groupOf(other);
        return group ? `require("./${group}.cjs").${exportName(other)}` : `require("./${fileOf(other)}")`;
      })
      // esbuild escapes other characters in strings only, not in regular expressions.
      .replaceAll(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  );
}
function write(name, code, map, ending = '') {
  const comment = map ? `sourceMappingURL=${name}.map` : 'no source map';
  writeFileSync(`dist/${name}`, `${rewrite(code)}${ending}//# ${comment}\n`);
  if (map) writeFileSync(`dist/${name}.map`, leanMap(map, code, rewrite));
}

/** Imports the other chunks of the group at once: a chunk that may be imported later makes esbuild wrap all of them. */
function withoutWaiting(text, group) {
  const found = new Set();
  const direct = text.replaceAll(/\bimport\("\.\/(.+?\.js)"\)/g, (dynamic, name) => {
    if (!groups[group].has(name)) return dynamic;
    found.add(name);
    return `Promise.resolve(${exportName(name)})`;
  });
  // Added at the end, so that the source map stays valid.
  const imports = [...found].map((name) => `import * as ${exportName(name)} from "./${name}";\n`);
  return direct.replace(/(?=\/\/# sourceMappingURL=)/, imports.join(''));
}

// 3. Join each group into one file, which exports its chunks by name for the other chunks.
const fingerprint = createHash('sha256');
for (const group of Object.keys(groups)) await joinChunks(group);
async function joinChunks(group) {
  const names = groups[group];
  const joined = await build({
    ...toCommonJs,
    stdin: {
      contents: [...names].map((name) => `export * as ${exportName(name)} from './${name}';`).join('\n'),
      resolveDir: 'dist',
    },
    outfile: `dist/${group}.cjs`,
    bundle: true,
    platform: 'node',
    write: false,
    plugins: [
      {
        name: 'chunks',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\// }, ({ path }) =>
            names.has(basename(path)) ? { path: resolve('dist', path) } : { path, external: true },
          );
          onLoad({ filter: /\.js$/ }, ({ path }) => ({
            contents: withoutWaiting(textOf.get(basename(path)), group),
          }));
        },
      },
    ],
  });
  const [map, code] = joined.outputFiles.map(({ text }) => text);
  fingerprint.update(code);
  // The launcher runs the file as a script, so it must be a function. The first line has no positions of our own code.
  const [beforeCode, afterCode] = Module.wrap('|').split('|');
  write(`${group}.cjs`, `${beforeCode}${code}`, map, afterCode);
}

// 4. Write every other chunk as a separate file.
for (const [name, { entryPoint, inputs }] of outputs) {
  if (groupOf(name)) continue;
  const isPackage = Object.keys(inputs).every((input) => input.includes('node_modules'));
  const { code, map } = await transform(textOf.get(name), {
    ...toCommonJs,
    sourcefile: name,
    minify: isPackage,
  });
  // A CommonJS package has only a default export here, so its names must be exported again.
  const isCommonJs = entryPoint && metafile.inputs[entryPoint].format === 'cjs';
  write(
    fileOf(name),
    isCommonJs ? `${code}module.exports = module.exports.default;\n` : code,
    isPackage ? undefined : map,
  );
}

// 5. Bundle the run host into one file. It must not load anything later: an update may have replaced the chunks by then.
const inOneFile = {
  ...toCommonJs,
  bundle: true,
  minify: true,
  sourcemap: false,
  platform: 'node',
  mainFields: ['module', 'main'],
  define: { 'import.meta.dirname': '__dirname' },
  write: false,
};
const host = await build({
  ...inOneFile,
  entryPoints: ['src/delegate/run-host.ts'],
  outfile: 'dist/run-host.cjs',
  // Parsing a source map would block the run host for too long, so its stack traces have names but no positions.
  keepNames: true,
  metafile: true,
});
write('run-host.cjs', host.outputFiles[0].text);

// Threads have programs of their own: start.cjs would start a second server in them.
for (const entry of ['src/prompts/tools/file-work.ts', 'src/assistant/icalendar/rule-work.ts']) {
  const name = basename(entry).replace(/ts$/, 'cjs');
  const { outputFiles: files } = await build({ ...inOneFile, entryPoints: [entry], outfile: `dist/${name}` });
  write(name, files[0].text);
}

// 6. Copy the template engine. It is WebAssembly and is loaded again after a crash, so it stays a separate file.
for (const [file, name] of [
  ['minijinja_js.js', 'minijinja_js.cjs'],
  ['minijinja_js_bg.wasm', 'minijinja_js_bg.wasm'],
])
  cpSync(`node_modules/minijinja-js/dist/node/${file}`, `dist/minijinja-js/${name}`);

const { metafile: pageMetafile, files: pageChunks } = await buildPage();
mkdirSync('dist/page');
for (const [name, text] of pageChunks) writeFileSync(`dist/page/${name}`, text);
for (const file of pageFiles) cpSync(`src/web/page/${file}`, `dist/page/${file}`);
await buildApps(build);

// The bundles contain no licence comments, so the licences of all packages are shipped in one file.
const packages = [
  ...bundledPackages(metafile),
  ...bundledPackages(host.metafile),
  ...bundledPackages(pageMetafile),
  'node_modules/minijinja-js',
];
writeFileSync('dist/THIRD_PARTY_NOTICES', notices(packages));

// 7. Write the launcher last, so that a build that was interrupted has none. It gets the time of the start, so that a source
// file that changes during the build is newer.
const launcher = readFileSync('src/launcher.cjs', 'utf8').replace(
  'FINGERPRINT',
  fingerprint.digest('hex').slice(0, 16),
);
writeFileSync('dist/adjutant.cjs', launcher);
chmodSync('dist/adjutant.cjs', 0o755);
utimesSync('dist/adjutant.cjs', startedAt, startedAt);

// 8. Start a server with and without people. The first start writes the code cache, so that the first start of a user is fast too,
// and what they list is what `src/cli/early-answers.ts` answers.
const home = mkdtempSync(join(tmpdir(), 'adjutant-build-'));
const isOwn = /^(ADJUTANT_|DATABASE_URL)/;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOwn.test(name)));
const adjutant = (words, input) =>
  execFileSync(process.execPath, ['dist/adjutant.cjs', ...words, '--home', home], {
    input,
    env,
    encoding: 'utf8',
  });
function listTools() {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'build', version: '1' },
  };
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const replies = adjutant(['serve'], [initialize, list].map((one) => `${JSON.stringify(one)}\n`).join(''));
  const found = replies.split('\n').find((line) => line.includes('"tools":['));
  return JSON.stringify(JSON.parse(found).result);
}
writeFileSync('dist/tools-list.json', listTools());
adjutant(['users', 'create', '--id', 'somebody', '--name', 'Somebody', '--timezone', 'UTC']);
writeFileSync('dist/tools-list-with-people.json', listTools());
rmSync(home, { recursive: true });
