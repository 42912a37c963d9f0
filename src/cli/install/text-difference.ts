/** Comparison time grows with the square of the changed lines. Beyond this limit, both texts are shown in full. */
const maxChangedLines = 1000;

/** Formats removed and added lines with two unchanged lines around them, and `…` between distant changes. */
export async function textDifference(before: string, after: string): Promise<string> {
  const { structuredPatch } = await import('diff');
  const options = { context: 2, maxEditLength: maxChangedLines };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined) return allLines('-', before) + allLines('+', after);
  return patch.hunks
    .map(({ lines }) =>
      lines
        .filter((line) => !line.startsWith('\\'))
        .map((line) => `${line[0]} ${line.slice(1)}\n`)
        .join(''),
    )
    .join('  …\n');
}

function allLines(mark: string, text: string): string {
  return text === '' ? '' : text.replace(/\n$/, '').replaceAll(/^/gm, `${mark} `).concat('\n');
}
