import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Folders of the packages whose code esbuild put into an output. Packages that were removed as unused do not count. */
export function bundledPackages({ outputs }) {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

/** Licences that allow us to ship a package in a bundle with its notice. A package with another one needs a decision. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
]);

function assertAllowed({ name, license }) {
  // Such as "(MIT OR Apache-2.0)": one of several is enough.
  const choices = String(license).replaceAll(/[()]/g, '').split(' OR ');
  if (!choices.some((choice) => allowed.has(choice)))
    throw new Error(
      `The licence of ${name} is "${license}", which is none of those that scripts/notices.mjs allows.`,
    );
}

/** The text of THIRD_PARTY_NOTICES: every package with its version, licence, source and licence text. */
export function notices(folders) {
  const sections = [...new Set(folders)]
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((one) => {
      assertAllowed(one);
      const source = `https://www.npmjs.com/package/${one.name}/v/${one.version}`;
      return `${one.name} ${one.version}\nLicence: ${one.license}\nSource: ${source}\n\n${licenceText(one)}`;
    });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `${['Adjutant contains code of the following packages, under their own licences.', ...sections].join(line)}\n`;
}

function licenceText({ folder, name, license, author }) {
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file))
    .sort();
  if (files.length > 0)
    return files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n');
  // Some packages name their licence and author only in package.json.
  const standard = new URL(`licenses/${license}.txt`, import.meta.url);
  const holder = typeof author === 'string' ? author : author?.name;
  if (!license || !holder || !existsSync(standard))
    throw new Error(
      `The licence of ${name} cannot be included: it has no licence file, and "${license}" has no text in scripts/licenses or no author. Add the text there.`,
    );
  return `Copyright (c) ${holder}\n\n${readFileSync(standard, 'utf8').trim()}`;
}
