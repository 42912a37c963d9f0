import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { isObject } from '../src/json.ts';

const { notices } = (await import(String(new URL('../scripts/notices.mjs', import.meta.url)))) as {
  notices(folders: readonly string[]): string;
};
const text = readFileSync('dist/THIRD_PARTY_NOTICES', 'utf8');
const [, ...sections] = text.split(/\n-{80}\n/).map((section) => section.trim());

/** Names of the packages in dist, found without the build's own list: from a second build, imports and copied folders. */
async function packagesInDist(): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const fromProgram = used.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const fromPage = globSync('src/web/page/**/*.{ts,tsx}', {
    exclude: (name) => name.includes('.test.'),
  }).flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /(?:^import (?!type )[^;']*?|\bimport\()'((?:@[^/']+\/)?[^./'][^/']*)/gm,
      ),
    ].map(([, name]) => name!),
  );
  const copied = readdirSync('dist', { withFileTypes: true })
    // Node keeps compiled code in a cache beside the program.
    .filter((entry) => entry.isDirectory() && entry.name !== 'page' && !entry.name.endsWith('.cache'))
    .map(({ name }) => name);
  return [...new Set([...fromProgram, ...fromPage, ...copied])].sort();
}

it('the notices list every bundled package, and no other', async () => {
  const listed = sections.map((section) => section.slice(0, section.indexOf(' ')));
  expect(listed).toEqual(await packagesInDist());
  expect(listed).toEqual(expect.arrayContaining(['minijinja-js', 'pg', 'preact', 'rrule-temporal']));
});

it.each(sections.map((section) => [section.split('\n')[0]!, section]))(
  'the notices contain the licence of %s',
  (title, section) => {
    const [name, version] = title.split(' ');
    const folder = join('node_modules', name!);
    const about: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(about).toMatchObject({ name, version });
    const licence = isObject(about) ? about['license'] : undefined;
    expect(section).toContain(`\nLicence: ${licence}\n`);
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
    if (file !== undefined) expect(section).toContain(readFileSync(join(folder, file), 'utf8').trim());
    else
      expect(section).toMatch(
        /Copyright \(c\) \S+[\s\S]+(Permission is hereby granted|Apache License\s+Version 2\.0)/,
      );
  },
);

it('a package whose licence is not allowed fails the build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-licence-'));
  const licensed = (license: string) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'it', version: '1.0.0', license }));
    return () => notices([folder]);
  };
  try {
    writeFileSync(join(folder, 'LICENSE'), 'Do what you want.');
    expect(licensed('AGPL-3.0')).toThrow('The licence of it is "AGPL-3.0"');
    expect(licensed('(AGPL-3.0 OR MIT)')()).toContain('Licence: (AGPL-3.0 OR MIT)');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
