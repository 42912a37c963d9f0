import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

/** esbuild options for the page, shared by the build and `npm run dev`. */
export const page = {
  entryPoints: { main: 'src/web/page/main.tsx' },
  outdir: 'dist/page',
  bundle: true,
  minify: true,
  format: 'esm',
  // Every `import()` becomes a file of its own, which the browser loads on first use.
  splitting: true,
  chunkNames: '[name]-[hash]',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
};

/** Files that are copied to dist/page unchanged. */
export const pageFiles = ['index.html', 'icon.svg', 'icon-needs.svg'];

/**
 * Bundles the page. Code that the first view shares with other views is joined into main.js: as separate chunks, a browser
 * on a slow line would have to wait for two rounds of requests. Returns esbuild's metafile of the chunks, and the files.
 */
export async function buildPage() {
  const { outputFiles, metafile } = await build({ ...page, metafile: true, write: false });
  const textOf = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));

  const start = new Set();
  const addToStart = (name) => {
    if (start.has(name)) return;
    start.add(name);
    for (const { path, kind } of outputs.get(name).imports)
      if (kind === 'import-statement') addToStart(basename(path));
  };
  addToStart('main.js');

  const exportName = (name) => name.replace(/\W/g, '_');
  const shared = [...start].filter((name) => name !== 'main.js');
  const joined = await build({
    stdin: {
      contents: [
        "import './main.js';",
        ...shared.map((name) => `export * as ${exportName(name)} from './${name}';`),
      ].join('\n'),
      resolveDir: 'dist/page',
    },
    outfile: 'dist/page/main.js',
    bundle: true,
    minify: true,
    format: 'esm',
    target: page.target,
    write: false,
    plugins: [
      {
        name: 'chunks',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\// }, ({ path }) =>
            start.has(basename(path)) ? { path: resolve('dist/page', path) } : { path, external: true },
          );
          onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: textOf.get(basename(path)) }));
        },
      },
    ],
  });

  const files = new Map([['main.js', joined.outputFiles[0].text]]);
  for (const [name, text] of textOf)
    if (!start.has(name))
      files.set(name, name.endsWith('.js') ? importFromMain(text, start, exportName) : text);
  return { metafile, files };
}

/** Makes a chunk import from main.js what main.js contains now. */
function importFromMain(text, start, exportName) {
  const rewritten = text.replaceAll(/import(?:\{([^}]*)\}from)?"\.\/([^"]+)";/g, (statement, names, file) => {
    if (!start.has(file)) return statement;
    if (names === undefined) return '';
    const variables = names.split(',').map((one) => one.replace(/^([\w$]+) as ([\w$]+)$/, '$1:$2'));
    const module = exportName(file);
    return `import{${module}}from"./main.js";const{${variables.join(',')}}=${module};`;
  });
  const left = [...start].find((name) => name !== 'main.js' && rewritten.includes(`"./${name}"`));
  if (left !== undefined) throw new Error(`a chunk of the page imports ${left} in an unknown form`);
  return rewritten;
}

/** Views for clients that show them inside the chat. Each becomes one HTML file, because a host loads nothing else. */
const apps = ['run', 'prompts', 'calendar'];

/**
 * What a view inside a chat never shows. A host loads one file, which the colours of all languages and the panels for
 * settings would make too large.
 */
const absentInChats = {
  name: 'absent in chats',
  setup({ onLoad }) {
    onLoad({ filter: /code-colours\.ts$/ }, () => ({
      contents: 'export const loadColours = async () => undefined;',
    }));
    onLoad({ filter: /style.(nav|routines|server|today)\.css$/ }, () => ({ contents: '', loader: 'css' }));
    onLoad({ filter: /people.(calendar-list|person-settings)\.tsx$/ }, () => ({
      contents: 'export const CalendarList = () => null, PersonSettings = () => null;',
    }));
  },
};

export async function buildApps(build) {
  for (const app of apps) {
    const { outputFiles } = await build({
      ...page,
      entryPoints: { app: `src/web/page/apps/${app}-app.tsx` },
      splitting: false,
      format: 'iife',
      plugins: [absentInChats],
      write: false,
    });
    const text = (extension) => outputFiles.find(({ path }) => path.endsWith(extension)).text;
    // The texts must not end the elements that contain them.
    const script = text('.js').replaceAll('</script', '<\\/script');
    const style = text('.css').replaceAll('</style', '<\\/style');
    writeFileSync(
      `dist/page/${app}-app.html`,
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Adjutant</title><style>${style}</style></head><body><main id="page"></main><script>${script}</script></body></html>\n`,
    );
  }
}
