/** Kinds of spans in a template, told apart by their delimiters. */
const pattern =
  /(\{#[\s\S]*?#\})|(\{%[\s\S]*?%\})|(\{\{[\s\S]*?\}\})|(\$\{?[A-Za-z_][\w:]*\}?|\$[1-9]|\$ARGUMENTS)|(^#{1,6} .*$)/gm;
const kinds = ['comment', 'tag', 'value', 'value', 'heading'] as const;

/** A template with its comments, tags and placeholders coloured. */
export function TemplateSource({ text }: { text: string }) {
  const parts: (string | { kind: string; text: string })[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ kind: kinds[match.slice(1).findIndex((group) => group !== undefined)]!, text: match[0] });
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return (
    <pre class="template">
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={index} class={`token-${part.kind}`}>
            {part.text}
          </span>
        ),
      )}
    </pre>
  );
}
