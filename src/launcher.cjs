#!/usr/bin/env node
'use strict';
// The build copies this file to dist/adjutant.cjs. Old Node versions must be able to parse it, so it uses old syntax only.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `adjutant: needs Node 24 or newer; this is ${process.version}. ` +
      'Install it from nodejs.org or with "npm install -g node@24".\n',
  );
  process.exit(1);
}
const fs = require('node:fs');
const vm = require('node:vm');

/**
 * Node trusts the code in its compile cache. By default the cache is in the temporary folder, where sandboxed agents and other
 * programs can write, so it is beside this file or, if that folder is read-only, in the home folder.
 */
const enableCompileCache = () => {
  const { enableCompileCache: enable, constants } = require('node:module');
  const { LOCALAPPDATA, HOME } = process.env;
  const caches = LOCALAPPDATA || (HOME && `${HOME}/.cache`);
  const { status } = enable(`${__dirname}/compile.cache`);
  if (status === constants.compileCacheStatus.FAILED && caches) enable(`${caches}/adjutant/compile.cache`);
};
// A server on stdio loads no other chunk before its first answer, and `node:module` would delay that answer.
if (process.argv[2] === 'serve' && !process.argv.includes('--http')) setImmediate(enableCompileCache);
else enableCompileCache();
if (process.argv[2] === 'run-host' || process.argv[2] === 'finish-tool') require('./run-host.cjs');
else startProgram();

function startProgram() {
  // Source maps are read only when a stack trace is printed.
  Error.prepareStackTrace = (error, frames) => {
    try {
      return require('./stack-trace.cjs').stackTrace(error, frames);
    } catch {
      return [error, ...frames].join('\n    at ');
    }
  };

  // Loaded on first use, by whichever file requires it.
  Object.defineProperty(require.cache, require.resolve('./features.cjs'), {
    configurable: true,
    get: () => load('features'),
  });
  load('start');
}

/**
 * Runs a file from V8's code cache instead of by require, so that a server starts without compiling anything. The build wraps the
 * files in functions like Node does, because joining the texts here would take time. V8 rejects a code cache of another version or
 * with other flags, but not one of another text with the same length. Hence the fingerprint in the name.
 */
function load(name) {
  const file = require.resolve(`./${name}.cjs`);
  const cacheFile = `${__dirname}/${name}-FINGERPRINT-${process.version}.cache`;
  let cachedData;
  try {
    cachedData = fs.readFileSync(cacheFile);
  } catch {}
  const script = new vm.Script(fs.readFileSync(file, 'latin1'), { filename: file, cachedData });
  const loaded = new module.constructor(file, module);
  // Other files that require this one get the same instance.
  Object.defineProperty(require.cache, file, { value: loaded, enumerable: true, writable: true });
  loaded.loaded = true;
  if (name === 'features' && process.argv[2] === 'serve') saveMemory(true);
  script.runInThisContext()(loaded.exports, require, loaded, file, __dirname);
  if ((!cachedData || script.cachedDataRejected) && process.argv[2] === 'serve') saveLater(script, cacheFile);
  return loaded;
}

/**
 * Reduces the memory of a server, which is idle most of the time. The heap grows in small steps, because V8 is slow to return memory.
 * Of the two optimizing compilers only Turbofan is used, in one thread: with both, or in several threads, the process keeps 10 MB that
 * compiling many functions at once takes. Not called before the first answer, because `node:v8` takes time to load.
 */
function saveMemory(isOn) {
  const { setFlagsFromString } = require('node:v8');
  const set = (name, small, usual) => setFlagsFromString(`--${name}=${isOn ? small : usual}`);
  set('semi-space-growth-factor', 1, 2);
  set('heap-growing-percent', 20, 0);
  // Collecting the small young generation takes less time than waking other threads for it.
  for (const flag of ['parallel-scavenge', 'minor-gc-task'])
    setFlagsFromString(`--${isOn ? 'no-' : ''}${flag}`);
  // Other architectures may lack these compilers, and V8 prints an error for an unknown flag.
  if (process.arch !== 'x64' && process.arch !== 'arm64') return;
  setFlagsFromString(isOn ? '--no-maglev' : '--maglev');
  set('concurrent-turbofan-max-threads', 1, 4);
}

/** Writes the cache after a server has started, so that it contains every function that the start calls. */
function saveLater(script, cacheFile) {
  const save = () => {
    clearTimeout(timer);
    process.off('exit', save);
    try {
      // V8 accepts the cache only with the flags it was made with, which are the defaults.
      saveMemory(false);
      const data = script.createCachedData();
      saveMemory(true);
      fs.writeFileSync(`${cacheFile}.${process.pid}`, data);
      fs.renameSync(`${cacheFile}.${process.pid}`, cacheFile);
    } catch {}
  };
  const timer = setTimeout(save, 1000).unref();
  process.once('exit', save);
}
