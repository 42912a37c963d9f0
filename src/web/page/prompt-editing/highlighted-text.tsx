import { useMemo } from 'preact/hooks';
import { templateParts } from './template-parts.ts';

/** A template with highlighted comments, tags and placeholders. */
export function Highlighted({ text }: { readonly text: string }) {
  const parts = useMemo(() => templateParts(text), [text]);
  return (
    <>
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={index} class={`token-${part.kind}`}>
            {part.text}
          </span>
        ),
      )}
    </>
  );
}

interface Props {
  readonly id: string;
  readonly text: string;
  readonly minRows: number;
  change(text: string): void;
}

/** A field for a template. The same text with colours lies behind it and gives it its height, so the field never scrolls. */
export function TemplateField({ id, text, minRows, change }: Props) {
  return (
    <div class="template-field" style={{ '--rows': minRows }}>
      <pre aria-hidden="true">
        <Highlighted text={text} />
        {'\n'}
      </pre>
      <textarea
        id={id}
        required
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </div>
  );
}
