import { Button, CheckField, SelectField } from '../controls/fields.tsx';
import { splitList } from '../controls/words.ts';
import { useToast } from '../shared/toast.tsx';
import type { PromptArgument } from './prompt.ts';
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
    toast({ text: `Removed message ${at + 1}.`, undo });
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
              <SelectField
                class="inline grow"
                label={<span class={several ? '' : 'hidden'}>Role</span>}
                name={several ? `Role of message ${at + 1}` : 'Role'}
                value={role}
                options={roles}
                change={(chosen) => set(at, { ...message, role: chosen })}
              />
              {several && (
                <span class="message-actions">
                  <Button
                    class="small"
                    aria-label={`Move message ${at + 1} up`}
                    disabled={at === 0}
                    onClick={() => swap(at, at - 1)}
                  >
                    ↑
                  </Button>
                  <Button
                    class="small"
                    aria-label={`Move message ${at + 1} down`}
                    disabled={at === messages.length - 1}
                    onClick={() => swap(at, at + 1)}
                  >
                    ↓
                  </Button>
                  <Button
                    class="small danger"
                    aria-label={`Remove message ${at + 1}`}
                    onClick={() => remove(at)}
                  >
                    Remove
                  </Button>
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
        <Button class="small" onClick={() => change((now) => [...now, nextMessage(now)])}>
          Add message
        </Button>
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

interface ArgumentFieldsProps {
  readonly args: readonly PromptArgument[];
  /** Arguments that no message inserts. Only they can be removed here. */
  readonly unused: ReadonlySet<string>;
  change(args: readonly PromptArgument[]): void;
  remove(name: string): void;
}

/** Edits all fields of each argument except its name, which the messages define. */
export function ArgumentFields({ args, unused, change, remove }: ArgumentFieldsProps) {
  if (args.length === 0) return null;
  const set = (name: string, fields: Partial<PromptArgument>) =>
    change(args.map((one) => (one.name === name ? withFields(one, fields) : one)));
  return (
    <fieldset>
      <legend>Arguments</legend>
      {args.map(({ name, description = '', required = false, default: preset = '', values = [], files }) => (
        <div key={name} class="argument-field">
          <code>{name}</code>
          <input
            aria-label={`Description of ${name}`}
            placeholder="Description"
            value={description}
            onInput={(event) => set(name, { description: event.currentTarget.value })}
          />
          <input
            aria-label={`Default of ${name}`}
            placeholder="Default value"
            value={preset}
            onInput={(event) => set(name, { default: event.currentTarget.value })}
          />
          <input
            aria-label={`Suggested values of ${name}`}
            placeholder="Suggested values, separated by commas"
            defaultValue={values.join(', ')}
            onInput={(event) => set(name, { values: splitList(event.currentTarget.value) })}
          />
          <CheckField
            label="Required"
            checked={required}
            change={(checked) => set(name, { required: checked })}
          />
          <CheckField
            label="File path"
            title="The value is the path of a file, whose content is inserted."
            checked={files === true}
            change={(checked) => set(name, { files: checked })}
          />
          {unused.has(name) && (
            <Button class="small danger" aria-label={`Remove argument ${name}`} onClick={() => remove(name)}>
              Remove
            </Button>
          )}
        </div>
      ))}
    </fieldset>
  );
}

/** Leaves out optional fields that were cleared, so that the prompt does not contain empty ones. */
function withFields(argument: PromptArgument, fields: Partial<PromptArgument>): PromptArgument {
  const merged = { ...argument, ...fields };
  const { default: preset, values, files, ...others } = merged;
  return {
    ...others,
    ...(preset !== undefined && preset !== '' && { default: preset }),
    ...(values !== undefined && values.length > 0 && { values }),
    ...(files && { files }),
  };
}
