export type TemplatePart = string | { readonly kind: string; readonly text: string };

const begins = /\{[#%{]|\$\{?[A-Za-z_][\w:]*\}?|\$[1-9]|^#{1,6} .*$/gm;
const ends: Readonly<Record<string, readonly [end: string, kind: string]>> = {
  '{#': ['#}', 'comment'],
  '{%': ['%}', 'tag'],
  '{{': ['}}', 'value'],
};

/** Beyond so many nobody reads the colours, and each is an element. */
const most = 5000;

/** A template with its comments, tags, placeholders and headings told apart by their delimiters. */
export function templateParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  // An end that was looked for in vain is not there further on either: to look again at each beginning takes for ever.
  const missing = new Set<string>();
  let plain = 0;
  const pattern = new RegExp(begins);
  for (
    let match = pattern.exec(text);
    match !== null && parts.length < 2 * most;
    match = pattern.exec(text)
  ) {
    const [begin] = match;
    const [end, kind] = ends[begin] ?? [undefined, begin.startsWith('#') ? 'heading' : 'value'];
    if (end !== undefined) {
      const at = missing.has(end) ? -1 : text.indexOf(end, pattern.lastIndex);
      if (at === -1) {
        missing.add(end);
        // What looks like a beginning may hide another: {{{ or {{%.
        pattern.lastIndex = match.index + 1;
        continue;
      }
      pattern.lastIndex = at + end.length;
    }
    if (match.index > plain) parts.push(text.slice(plain, match.index));
    parts.push({ kind, text: text.slice(match.index, pattern.lastIndex) });
    plain = pattern.lastIndex;
  }
  if (plain < text.length) parts.push(text.slice(plain));
  return parts;
}
