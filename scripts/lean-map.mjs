import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * Removes the positions from a source map that no stack trace needs: those in packages, except where a package begins, and
 * those inside a source line that are not at a call. Every other position still has the right line. `rewrite` is what the build
 * does to the code afterwards; the columns of the map follow it.
 */
export function leanMap(json, code, rewrite) {
  const { sources, mappings } = JSON.parse(json);
  const isPackage = sources.map((source) => source.includes('node_modules'));
  const lines = code.split('\n');
  let last = [];
  function isNeeded(segment, text) {
    const [column, source, line] = segment;
    if (source === last[1] && (isPackage[source] || (line === last[2] && !isCall(text, column))))
      return false;
    last = segment;
    return true;
  }
  const lean = decode(mappings).map((segments, index) =>
    segments
      .filter((segment) => isNeeded(segment, lines[index]))
      .map(([column, ...origin]) => [rewrite(lines[index].slice(0, column)).length, ...origin.slice(0, 3)]),
  );
  return JSON.stringify({ version: 3, sources, mappings: encode(lean) });
}

function isCall(text, column) {
  return /^(new |throw |[\w$#]*[(`])/.test(text.slice(column, column + 80));
}
