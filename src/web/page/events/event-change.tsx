import { useState } from 'preact/hooks';
import type { ToolArguments, ToolName } from '../../../api.ts';
import { Button, Problem } from '../controls/fields.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { asError, useTool } from '../shared/server-connection.tsx';
import type { Toast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { localeOf, type User } from './calendar-data.ts';

interface Question {
  readonly text: string;
  readonly token: string;
}

/** A change that may send messages to other people. The server then refuses it until the user confirms its preview. */
export interface ConfirmedChange {
  readonly busy: boolean;
  readonly problem: string;
  readonly question: Question | undefined;
  /** Runs the change; after a question, with the token of its preview. Returns undefined if it was not made. */
  run<Result>(
    change: (confirm: { confirm?: string }) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly sent: boolean } | undefined>;
}

export function useConfirmedChange(): ConfirmedChange {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [question, setQuestion] = useState<Question | undefined>();
  return {
    busy,
    problem,
    question,
    async run(change) {
      setBusy(true);
      setProblem('');
      try {
        const result = await change(question === undefined ? {} : { confirm: question.token });
        return { result, sent: question !== undefined };
      } catch (failed) {
        const next = questionOf(failed);
        setQuestion(next);
        if (next === undefined) setProblem(asError(failed).message);
        return undefined;
      } finally {
        setBusy(false);
      }
    },
  };
}

/** What the server asks before it makes a change that others are told of. Undefined for every other failure. */
export function questionOf(failed: unknown): Question | undefined {
  const { failure } = asError(failed);
  const preview = failure?.data as { confirm?: string; sends?: string; recipients?: string[] } | undefined;
  if (preview?.confirm === undefined) return undefined;
  const people = preview.recipients?.join(', ') ?? '';
  return {
    token: preview.confirm,
    text: `The calendar server will send ${preview.sends} to ${people}.`,
  };
}

/** What to say about an event that its server has confirmed, but not sent back. */
export function serverNote({ on_server }: { readonly on_server?: string }): string {
  return on_server === undefined ? '' : ` On its calendar server: ${on_server}.`;
}

/** A message with Undo, or with the reason why there is none. */
export function undoToast(
  text: string,
  { sent }: { readonly sent: boolean },
  undo: (() => Promise<unknown>) | undefined,
): Toast {
  if (sent) return { text: `${text} It cannot be undone, because the calendar server has sent messages.` };
  if (undo === undefined)
    return { text: `${text} It cannot be undone, because the calendar server has two series now.` };
  return { text, undo };
}

interface ConfirmationProps {
  readonly change: ConfirmedChange;
  readonly user: User;
  /** The change whose message to the person is previewed. */
  readonly notice?: ToolArguments<'preview_messages'> | undefined;
  /** The tool that makes the change. */
  readonly tool: ToolName;
  /** The text of the button, such as "Move event", and its verb. */
  readonly action: string;
  readonly verb: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly keep?: string;
  cancel(): void;
  /** Absent if the button submits a form. */
  run?(): unknown;
}

/** The end of a form that changes an event: who gets a message, why the change failed, and the buttons. */
export function Confirmation({
  change,
  user,
  notice,
  tool,
  action,
  verb,
  danger,
  disabled = false,
  keep = 'Cancel',
  cancel,
  run,
}: ConfirmationProps) {
  const { busy, question, problem } = change;
  return (
    <>
      {notice && <NoticePreview user={user} change={notice} />}
      {question && (
        <p class="warning box" role="alert">
          {question.text} Nothing was changed or sent yet.
        </p>
      )}
      <Problem text={problem} />
      <p class="buttons">
        <ChangeButton
          tool={tool}
          class={danger ? 'danger' : 'primary'}
          disabled={busy || disabled}
          {...(run ? { onClick: run } : { type: 'submit' })}
        >
          {question ? `Send and ${verb}` : action}
        </ChangeButton>
        <Button onClick={cancel}>{keep}</Button>
      </p>
    </>
  );
}

const scopes = {
  one: 'Only this one',
  following: 'This and all later ones',
  all: 'All of the series',
} as const;
export type Scope = keyof typeof scopes;

interface Props {
  readonly chosen: Scope;
  /** What happens to the chosen ones, such as "Move". */
  readonly label: string;
  choose(scope: Scope): void;
}

/** Asks which dates of a series a change is for. */
export function ScopeChoice({ chosen, label, choose }: Props) {
  return (
    <fieldset class="scopes">
      <legend>{label}</legend>
      {(Object.keys(scopes) as Scope[]).map((scope) => (
        <label key={scope} class="inline">
          <input
            type="radio"
            name={`scope ${label}`}
            checked={chosen === scope}
            onChange={() => choose(scope)}
          />
          {scopes[scope]}
        </label>
      ))}
    </fieldset>
  );
}

/** The arguments of the tools for a choice. */
export function scopeArguments(
  occurrence: string | undefined,
  scope: Scope,
): { occurrence?: string; following?: boolean } {
  if (occurrence === undefined || scope === 'all') return {};
  return { occurrence, ...(scope === 'following' && { following: true }) };
}

/** Shows which message a change of an event would send to its person. */
function NoticePreview({ user, change }: { user: User; change: ToolArguments<'preview_messages'> }) {
  const { name, timezone = 'UTC' } = user;
  const { value, error } = useTool('preview_messages', change);
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Checking who is notified…</p>;
  const { messages, none_because } = value;
  if (messages.length === 0)
    return (
      <p class="quiet">
        {name} is not notified. {none_because}
      </p>
    );
  return (
    <div class="notice">
      <p>
        {name} is notified by {messages[0]!.channel} at{' '}
        {shortTime(messages[0]!.plan_time!, timezone, localeOf(user))}
        {messages.length > 1 && ` and ${messages.length - 1} more times`}:
      </p>
      <MessageText {...messages[0]!} />
    </div>
  );
}

/** A message as its recipient reads it. */
export function MessageText({ subject, text }: { subject: string; text: string }) {
  return (
    <div class="message">
      <strong>{subject}</strong>
      <pre>{text.trim()}</pre>
    </div>
  );
}
