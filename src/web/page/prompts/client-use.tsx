import type { Prompt } from '../prompt-editing/prompt.ts';
import { CopyButton } from '../shared/copy-button.tsx';

/** What to write in a client to use the prompt. */
export function ClientUse({ prompt: { name, arguments: args = [] }, values }: Props) {
  const [first] = args;
  const text = args.length === 1 ? (values[first!.name] ?? '…') : args.length > 1 ? '…' : '';
  const written = `:${name} ${text}`.trim();
  return (
    <section class="client-use">
      <h2>In your client</h2>
      <p class="copy-line">
        <code>{written}</code> <CopyButton text={written} />
      </p>
      <p class="quiet hint">
        {text === '…' && (args.length === 1 ? `Write ${first!.name} instead of the dots. ` : `${dots} `)}
        The model of the client replaces the line with this prompt.
      </p>
    </section>
  );
}

const dots = 'Write the arguments instead of the dots, in this order, in quotes if they contain spaces.';

interface Props {
  readonly prompt: Prompt;
  readonly values: Readonly<Record<string, string>>;
}
