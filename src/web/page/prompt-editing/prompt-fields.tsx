import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button, Choice, SelectField } from '../controls/fields.tsx';
import { splitList } from '../controls/words.ts';
import { useToast } from '../shared/toast.tsx';
import { TemplateField } from './highlighted-text.tsx';
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
            <div class="buttons message-head">
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
                <span class="row">
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
              <TemplateField
                id={id}
                minRows={several ? 4 : 10}
                text={content.text}
                change={(text) => set(at, { ...message, content: { ...content, text } })}
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
    <fieldset class="arguments-table">
      <legend>Arguments</legend>
      <table>
        <thead>
          <tr>
            {['Name', 'Type', 'Required', 'Default', 'Values', 'Description'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {args.map((one) => (
            <ArgumentRow key={one.name} argument={one} set={(fields) => set(one.name, fields)}>
              {unused.has(one.name) && (
                <Button
                  class="small danger"
                  aria-label={`Remove argument ${one.name}`}
                  onClick={() => remove(one.name)}
                >
                  Remove
                </Button>
              )}
            </ArgumentRow>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}

const types = { text: 'Text', choice: 'Choice', file: 'File path' } as const;

interface RowProps {
  readonly argument: PromptArgument;
  /** A button that removes the argument, if it can be removed. */
  readonly children: ComponentChildren;
  set(fields: Partial<PromptArgument>): void;
}

/** An argument. Its type follows from its fields: one with suggested values is a choice, and a path inserts its file. */
function ArgumentRow({ argument, children, set }: RowProps) {
  const { name, description = '', required = false, default: preset = '', values = [], files } = argument;
  const row = useRef<HTMLTableRowElement>(null);
  const type = files ? 'file' : values.length > 0 ? 'choice' : 'text';
  const setType = (chosen: keyof typeof types) => {
    set({ files: chosen === 'file', ...(chosen === 'text' && { values: [] }) });
    if (chosen === 'choice') row.current?.querySelector<HTMLElement>('[data-label="Values"] input')?.focus();
  };
  return (
    <tr ref={row}>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td data-label="Type">
        <Choice name={`Type of ${name}`} value={type} options={types} change={setType} />
      </td>
      <td data-label="Required">
        <label class="check-target">
          <input
            type="checkbox"
            checked={required}
            onChange={({ currentTarget }) => set({ required: currentTarget.checked })}
          />
          <span class="hidden">Required: {name}</span>
        </label>
      </td>
      <td data-label="Default">
        <input
          aria-label={`Default of ${name}`}
          placeholder="No default"
          value={preset}
          onInput={(event) => set({ default: event.currentTarget.value })}
        />
      </td>
      <td data-label="Values">
        <input
          aria-label={`Suggested values of ${name}`}
          placeholder="Any value"
          title="Separated by commas"
          defaultValue={values.join(', ')}
          onInput={(event) => set({ values: splitList(event.currentTarget.value) })}
        />
      </td>
      <td data-label="Description">
        <input
          aria-label={`Description of ${name}`}
          placeholder="None"
          value={description}
          onInput={(event) => set({ description: event.currentTarget.value })}
        />
      </td>
      <td>{children}</td>
    </tr>
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
