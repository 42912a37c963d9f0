export type TemplatePart = string | { readonly kind: string; readonly text: string };

const starts = /\{[#%{]|\$\{?[A-Za-z_][\w:]*\}?|\$[1-9]|^#{1,6} .*$/gm;
const ends: Readonly<Record<string, readonly [end: string, kind: string]>> = {
  '{#': ['#}', 'comment'],
  '{%': ['%}', 'tag'],
  '{{': ['}}', 'value'],
};

/** Limits the number of highlighted parts, because each one becomes a DOM element. */
const maxHighlights = 5000;

/** Splits a template into plain text, comments, tags, placeholders and headings. */
export function templateParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  // Remember end delimiters that were not found: searching again at every start would take quadratic time.
  const missing = new Set<string>();
  let plainStart = 0;
  const pattern = new RegExp(starts);
  for (
    let match = pattern.exec(text);
    match !== null && parts.length < 2 * maxHighlights;
    match = pattern.exec(text)
  ) {
    const [start] = match;
    const [end, kind] = ends[start] ?? [undefined, start.startsWith('#') ? 'heading' : 'value'];
    if (end !== undefined) {
      const at = missing.has(end) ? -1 : text.indexOf(end, pattern.lastIndex);
      if (at === -1) {
        missing.add(end);
        // Another delimiter may start one character later: {{{ or {{%.
        pattern.lastIndex = match.index + 1;
        continue;
      }
      pattern.lastIndex = at + end.length;
    }
    if (match.index > plainStart) parts.push(text.slice(plainStart, match.index));
    parts.push({ kind, text: text.slice(match.index, pattern.lastIndex) });
    plainStart = pattern.lastIndex;
  }
  if (plainStart < text.length) parts.push(text.slice(plainStart));
  return parts;
}
