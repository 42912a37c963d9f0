import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const start = '<!-- Folders, written by `npm run reference`. People write the contents. -->';
const end = '<!-- End of the folders. -->';
const missing = 'TODO: say what this folder contains';

/**
 * Replaces the table of folders in a page by one that lists every folder of `src` with source files. It keeps the order and the
 * contents that people wrote; a new folder comes after the others of its parent.
 */
export function withFolderTable(page: string): string {
  const [before, rest] = page.split(start) as [string, string];
  const [table, after] = rest.split(end) as [string, string];
  const contents = new Map(
    table.split('\n').flatMap((row) => {
      const [, names = '', text = ''] = /^\| (.+?) \| (.*) \|$/.exec(row) ?? [];
      return [...names.matchAll(/`(src\/[^`]+)`/g)].map(([, name]) => [name!, text] as const);
    }),
  );
  const folders = sourceFolders();
  const order = [...contents.keys()].filter((name) => folders.includes(name));
  for (const name of folders.filter((one) => !contents.has(one))) {
    const last = order.findLastIndex((one) => one === dirname(name) || dirname(one) === dirname(name));
    order.splice(last === -1 ? order.length : last + 1, 0, name);
  }
  const textOf = (name: string) => contents.get(name) ?? missing;
  const rows: string[] = [];
  for (const [at, name] of order.entries()) {
    // Neighbours with the same text share a row.
    if (at > 0 && textOf(order[at - 1]!) === textOf(name)) continue;
    const next = order.findIndex((one, other) => other > at && textOf(one) !== textOf(name));
    const names = order.slice(at, next === -1 ? undefined : next).map((one) => `\`${one}\``);
    const isParent = order.some((one) => one.startsWith(`${name}/`));
    rows.push(`| ${isParent ? `**${names.join(', ')}**` : names.join(', ')} | ${textOf(name)} |`);
  }
  return `${before}${start}\n\n| folder | contents |\n| --- | --- |\n${rows.join('\n')}\n\n${end}${after}`;
}

/** The folders of `src` that have source files of their own. */
function sourceFolders(): readonly string[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path).replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'));
  return [...new Set(files.map((path) => dirname(path)))].filter((name) => name !== 'src').sort();
}
