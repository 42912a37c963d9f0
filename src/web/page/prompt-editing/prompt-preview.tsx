import { readDraft } from '../shared/draft-storage.ts';
import type { PromptArgument } from './prompt.ts';
import type { Message } from './prompt-draft.ts';

interface Props {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly args: readonly PromptArgument[];
}

/** The messages as a client gets them, with the values that were typed under Use, the defaults or the first suggestions. */
export function PromptPreview({ name, messages, args }: Props) {
  const typed = readDraft<Readonly<Record<string, string>>>(`arguments/${name}`)?.value;
  const values = new Map(
    args.map((one) => [one.name, typed?.[one.name] || one.default || one.values?.[0] || ''] as const),
  );
  const texts = messages.flatMap(({ role, content }) =>
    content.type === 'text' ? [{ role, text: content.text }] : [],
  );
  const size = texts.reduce((sum, { text }) => sum + text.length, 0);
  return (
    <section class="prompt-preview" aria-label="Preview">
      <div class="section-head">
        <h2>Preview</h2>
        <span class="grow" />
        <span class="quiet small">
          about {Math.ceil(size / 4).toLocaleString()}{' '}
          <abbr title="Models read and write texts in tokens, pieces of about four characters">tokens</abbr>
        </span>
      </div>
      {texts.map(({ role, text }, index) => (
        <div key={index} class="preview">
          {texts.length > 1 && <small>{role === 'user' ? 'User' : 'Assistant'}</small>}
          {filledParts(text, values).map((part, at) =>
            typeof part === 'string' ? (
              part
            ) : part.value === '' ? (
              <span key={at} class="token-value">{`{{${part.name}}}`}</span>
            ) : (
              <mark key={at}>{part.value}</mark>
            ),
          )}
        </div>
      ))}
    </section>
  );
}

type Part = string | { readonly name: string; readonly value: string };

/** A text in pieces: its own words, and the placeholders with their values. */
function filledParts(text: string, values: ReadonlyMap<string, string>): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{(\w+)\}\}/g)) {
    const [whole, name = ''] = match;
    parts.push(text.slice(end, match.index), { name, value: values.get(name) ?? '' });
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
