/** The time to compare grows with the square of the changed lines. Beyond this many, both texts are shown whole. */
const mostChangedLines = 1000;

/** The removed and added lines with two unchanged lines around them. `…` stands between places that are far apart. */
export async function textDifference(before: string, after: string): Promise<string> {
  const { structuredPatch } = await import('diff');
  const options = { context: 2, maxEditLength: mostChangedLines };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined) return whole('-', before) + whole('+', after);
  return patch.hunks
    .map(({ lines }) =>
      lines
        .filter((line) => !line.startsWith('\\'))
        .map((line) => `${line[0]} ${line.slice(1)}\n`)
        .join(''),
    )
    .join('  …\n');
}

function whole(mark: string, text: string): string {
  return text === '' ? '' : text.replace(/\n$/, '').replaceAll(/^/gm, `${mark} `).concat('\n');
}
