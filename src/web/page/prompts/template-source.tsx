import { useMemo } from 'preact/hooks';
import { templateParts } from './template-parts.ts';

/** A template with highlighted comments, tags and placeholders. */
export function TemplateSource({ text }: { text: string }) {
  const parts = useMemo(() => templateParts(text), [text]);
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
