import { useState } from 'preact/hooks';
import { Problem } from '../controls/problem.tsx';
import { asError } from '../shared/server-connection.tsx';
import type { Toast } from '../shared/toast.tsx';

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
        const { message, failure } = asError(failed);
        const preview = failure?.data as
          | { confirm?: string; sends?: string; recipients?: string[] }
          | undefined;
        if (preview?.confirm === undefined) {
          setQuestion(undefined);
          setProblem(message);
        } else {
          const people = preview.recipients?.join(', ') ?? '';
          setQuestion({
            token: preview.confirm,
            text: `The calendar server will send ${preview.sends} to ${people}.`,
          });
        }
        return undefined;
      } finally {
        setBusy(false);
      }
    },
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
  return { text, action: { label: 'Undo', run: undo } };
}

/** Shows who gets a message from the calendar server, or why the change failed. */
export function ChangeOutcome({ change: { question, problem } }: { change: ConfirmedChange }) {
  return (
    <>
      {question && (
        <p class="warning box" role="alert">
          {question.text} Nothing was changed or sent yet.
        </p>
      )}
      <Problem text={problem} />
    </>
  );
}
