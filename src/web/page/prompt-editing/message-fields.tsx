import { useToast } from '../shared/toast.tsx';
import { type Message, newMessage } from './prompt-draft.ts';

interface Props {
  readonly messages: readonly Message[];
  change(update: (messages: readonly Message[]) => readonly Message[]): void;
}

const roles = { user: 'User', assistant: 'Assistant' } as const;

/** The messages of a prompt: their roles, texts and order. Other content, such as images, is kept as it is. */
export function MessageFields({ messages, change }: Props) {
  const toast = useToast();
  const set = (at: number, message: Message) => change((now) => now.with(at, message));
  const swap = (at: number, other: number) =>
    change((now) => now.with(at, now[other]!).with(other, now[at]!));
  const remove = (at: number) => {
    change((now) => now.toSpliced(at, 1));
    const undo = async () => change((now) => now.toSpliced(at, 0, messages[at]!));
    toast({ text: `Removed message ${at + 1}.`, action: { label: 'Undo', run: undo } });
  };
  const several = messages.length > 1;
  return (
    <>
      {messages.map((message, at) => {
        const { role, content } = message;
        const name = several ? `Message ${at + 1}` : 'Text';
        const id = `message-${at}`;
        return (
          <div key={at} class="message-field">
            <div class="message-head">
              {content.type === 'text' ? <label for={id}>{name}</label> : <span>{name}</span>}
              <label class="inline grow">
                <span class={several ? '' : 'hidden'}>Role</span>
                <select
                  aria-label={several ? `Role of message ${at + 1}` : 'Role'}
                  value={role}
                  onChange={({ currentTarget: { value } }) => set(at, { ...message, role: value as 'user' })}
                >
                  {Object.entries(roles).map(([value, title]) => (
                    <option key={value} value={value}>
                      {title}
                    </option>
                  ))}
                </select>
              </label>
              {several && (
                <span class="message-actions">
                  <button
                    type="button"
                    class="small"
                    aria-label={`Move message ${at + 1} up`}
                    disabled={at === 0}
                    onClick={() => swap(at, at - 1)}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Move message ${at + 1} down`}
                    disabled={at === messages.length - 1}
                    onClick={() => swap(at, at + 1)}
                  >
                    ↓
                  </button>
                  <button
                    type="button"
                    class="small danger"
                    aria-label={`Remove message ${at + 1}`}
                    onClick={() => remove(at)}
                  >
                    Remove
                  </button>
                </span>
              )}
            </div>
            {content.type === 'text' ? (
              <textarea
                id={id}
                rows={several ? 6 : 14}
                required
                value={content.text}
                onInput={({ currentTarget: { value: text } }) =>
                  set(at, { ...message, content: { ...content, text } })
                }
              />
            ) : (
              <p class="quiet">This message contains {article(content.type)}, which stays as it is.</p>
            )}
          </div>
        );
      })}
      <p class="buttons">
        <button type="button" class="small" onClick={() => change((now) => [...now, nextMessage(now)])}>
          Add message
        </button>
        <small class="quiet">
          Write <code>{'{{topic}}'}</code> for a blank. It becomes an <dfn>argument</dfn>, which gets its
          value when the prompt is used.
        </small>
      </p>
    </>
  );
}

/** Messages usually alternate between the two roles. */
function nextMessage(messages: readonly Message[]): Message {
  return { ...newMessage, role: messages.at(-1)?.role === 'user' ? 'assistant' : 'user' };
}

function article(type: string): string {
  const name = type === 'resource_link' ? 'link to a file' : type === 'resource' ? 'file' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
