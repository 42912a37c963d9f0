import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import { fingerprint } from '../entities/revision.ts';

/** What a server will send to other people because of a change. */
export interface Preview {
  readonly sends: 'invitations' | 'updates' | 'cancellations' | 'a refusal';
  readonly recipients: readonly string[];
  /** Title and time of the event. */
  readonly subject: string;
  /** Everything that the confirmation covers; another change needs another confirmation. */
  readonly covers: unknown;
}

/**
 * Lets the user confirm that messages go out. A client that cannot be asked gets the preview with a token, and calls again
 * with the token after it has asked the user in its own way.
 */
export async function confirmSending(
  preview: Preview,
  confirm: string | undefined,
  context: Context,
): Promise<void> {
  if (preview.recipients.length === 0) return;
  const token = fingerprint(preview);
  if (confirm === token) return;
  const people = preview.recipients.length === 1 ? '1 person' : `${preview.recipients.length} people`;
  const message = `The calendar server will send ${preview.sends} to ${people} (${preview.recipients.join(', ')}) for ${preview.subject}.`;
  if (canFillForms(context)) return askUser(message, context);
  throw new Failure(
    'refused',
    `${confirm === undefined ? '' : 'The event or the request changed since the last preview. '}${message} Nothing was changed and nothing was sent yet. If the user agrees, call again with the same arguments and confirm "${token}".`,
    { data: { confirm: token, sends: preview.sends, recipients: preview.recipients } },
  );
}

async function askUser(message: string, context: Context): Promise<void> {
  const { send: answer = {} } = await context.ask({
    send: {
      method: 'elicitation/create',
      params: {
        message,
        requestedSchema: {
          type: 'object',
          properties: { send: { type: 'boolean', title: 'Send', default: true } },
        },
      },
    },
  });
  const content = isObject(answer['content']) ? answer['content'] : {};
  if (answer['action'] === 'accept' && content['send'] !== false) return;
  throw new Failure('refused', 'The user did not agree. Nothing was changed and nothing was sent.');
}

/** Some clients support elicitation only with URLs, not with forms. */
function canFillForms(context: Context): boolean {
  const elicitation = context.client.capabilities['elicitation'];
  return (
    context.can('elicitation') && isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
  );
}
