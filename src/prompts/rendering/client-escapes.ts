import type { RenderedPrompt } from '../../feature.ts';

/**
 * opencode treats the text of a prompt as a template: it fills in `$1` and `$ARGUMENTS`, then runs every command between
 * `` !` `` and `` ` ``. A placeholder between these two characters may turn out empty.
 */
const opencodeCommand = /!(?=(?:\$\d+|\$ARGUMENTS)*`)/g;

/** Separates what a client would execute in a prompt. A prompt is text, and no server may run commands through it. */
export function escapeForClient(rendered: RenderedPrompt, client: string): RenderedPrompt {
  if (client !== 'opencode') return rendered;
  return {
    ...rendered,
    messages: rendered.messages.map((message) =>
      message.content.type === 'text'
        ? {
            ...message,
            content: { ...message.content, text: message.content.text.replaceAll(opencodeCommand, '! ') },
          }
        : message,
    ),
  };
}
