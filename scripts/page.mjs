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
