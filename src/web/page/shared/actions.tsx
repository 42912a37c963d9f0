import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolName } from '../../../api.ts';
import { Button, Problem } from '../controls/fields.tsx';
import { ChangeButton } from './buttons.tsx';
import { type Draft, DraftMark } from './drafts.tsx';
import { asError, useConnection } from './server-connection.tsx';
import { type Toast, useToast } from './toast.tsx';

/** A change. What it returns is shown in a toast. */
type Work = () => Promise<Toast | void>;

/**
 * Makes changes and shows what became of them. A form uses `attempt`, whose failure is `problem`; a button uses `act`, whose
 * failure is a toast. Both resolve to whether the change was made.
 */
export function useActions() {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const run = async (work: Work, onFailure: (message: string) => void): Promise<boolean> => {
    setBusy(true);
    setProblem('');
    try {
      const report = await work();
      if (report) toast(report);
      return true;
    } catch (error) {
      onFailure(asError(error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    ...{ client, invalidate, toast, busy, problem },
    attempt: (work: Work) => run(work, setProblem),
    act: (work: Work) => run(work, (text) => toast({ text })),
  };
}

interface FormProps {
  readonly class?: string;
  readonly label?: string;
  /** The text of the button, and while the work is in progress. */
  readonly action: ComponentChildren;
  readonly doing?: string;
  readonly disabled?: boolean;
  /** True if the view has a more important button. */
  readonly minor?: boolean;
  /** The tool that does the work. */
  readonly tool: ToolName;
  /** True if the work changes nothing, so that it is allowed on a read-only server. */
  readonly reads?: boolean;
  /** Keeps what is typed until the work is done. */
  // biome-ignore lint/suspicious/noExplicitAny: forms differ in their fields
  readonly draft?: Draft<any>;
  readonly children: ComponentChildren;
  submit: Work;
  cancel?(): void;
}

/** A form with its button, which shows why the last attempt failed. */
export function ActionForm(props: FormProps) {
  const {
    class: look = 'editor',
    label,
    action,
    doing = action,
    disabled = false,
    tool,
    reads,
    children,
  } = props;
  const { busy, problem, attempt } = useActions();
  return (
    <form
      class={look}
      aria-label={label}
      data-form={props.draft?.form}
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(props.submit).then((done) => done && !reads && props.draft?.clear());
      }}
    >
      {children}
      <Problem text={problem} />
      <p class="buttons">
        <ChangeButton
          type="submit"
          class={props.minor ? '' : 'primary'}
          {...{ tool, reads }}
          disabled={busy || disabled}
        >
          {busy ? doing : action}
        </ChangeButton>
        {props.cancel && <Button onClick={props.cancel}>Cancel</Button>}
        {props.draft && <DraftMark draft={props.draft} />}
      </p>
    </form>
  );
}
