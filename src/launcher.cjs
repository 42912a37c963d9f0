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

const enableCompileCache = () => require('node:module').enableCompileCache();
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

  // start.cjs is run from V8's code cache instead of by require, so that a server starts without compiling anything. The build
  // wraps it in a function like Node does, because joining the two texts here would take time.
  // The entry in require.cache makes other chunks that require start.cjs get this instance. V8 rejects a code cache of another
  // version or with other flags, but not one of another text with the same length. Hence the fingerprint in the file name.
  const file = require.resolve('./start.cjs');
  const cacheFile = `${__dirname}/start-FINGERPRINT-${process.version}.cache`;
  let cachedData;
  try {
    cachedData = fs.readFileSync(cacheFile);
  } catch {}
  const script = new vm.Script(fs.readFileSync(file, 'latin1'), { filename: file, cachedData });
  const start = new module.constructor(file, module);
  require.cache[file] = start;
  start.loaded = true;
  script.runInThisContext()(start.exports, require, start, file, __dirname);

  // The cache is written after a server has started, so that it contains every function that the start calls.
  if ((!cachedData || script.cachedDataRejected) && process.argv[2] === 'serve') {
    const saveCache = () => {
      clearTimeout(timer);
      process.off('exit', saveCache);
      try {
        // V8 accepts the cache only with the flags it was made with. Undo the changes of small-heap.ts.
        const { setFlagsFromString } = require('node:v8');
        setFlagsFromString('--semi-space-growth-factor=2');
        setFlagsFromString('--heap-growing-percent=0');
        fs.writeFileSync(`${cacheFile}.${process.pid}`, script.createCachedData());
        fs.renameSync(`${cacheFile}.${process.pid}`, cacheFile);
      } catch {}
    };
    const timer = setTimeout(saveCache, 1000).unref();
    process.once('exit', saveCache);
  }
}
