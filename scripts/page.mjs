import { writeFileSync } from 'node:fs';

/** esbuild options for the page, shared by the build and `npm run dev`. */
export const page = {
  entryPoints: { main: 'src/web/page/main.tsx' },
  outdir: 'dist/page',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
};

/** Files that are copied to dist/page unchanged. */
export const pageFiles = ['index.html', 'icon.svg'];

/** Views for clients that show them inside the chat. Each becomes one HTML file, because a host loads nothing else. */
const apps = ['run', 'prompts', 'calendar'];

export async function buildApps(build) {
  for (const app of apps) {
    const { outputFiles } = await build({
      ...page,
      entryPoints: { app: `src/web/page/apps/${app}-app.tsx` },
      splitting: false,
      format: 'iife',
      write: false,
    });
    const text = (extension) => outputFiles.find(({ path }) => path.endsWith(extension)).text;
    // The texts must not end the elements that contain them.
    const script = text('.js').replaceAll('</script', '<\\/script');
    const style = text('.css').replaceAll('</style', '<\\/style');
    writeFileSync(
      `dist/page/${app}-app.html`,
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Adjutant</title><style>${style}</style></head><body><div id="page"></div><script>${script}</script></body></html>\n`,
    );
  }
}
