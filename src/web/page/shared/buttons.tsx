import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolName } from '../../../api.ts';
import { Button } from '../controls/fields.tsx';
import { useConnection } from './server-connection.tsx';

const readOnlyReason = 'This server is read-only: nothing can be changed here.';

interface Change {
  /** The tool that makes the change, which not every token may call. */
  readonly tool: ToolName;
  /** True if the tool changes nothing, so that it is allowed on a read-only server. */
  readonly reads?: boolean | undefined;
}

/** Why a tool cannot be used here, or `undefined` if it can. */
function useRefusal({ tool, reads = false }: Change): string | undefined {
  const { readOnly, mayCall } = useConnection();
  if (readOnly && !reads) return readOnlyReason;
  return mayCall(tool) ? undefined : 'Your token may not do this.';
}

/** A button that changes data. Where that is refused, it is disabled and says why. */
export function ChangeButton({ disabled = false, tool, reads, ...props }: ComponentProps<'button'> & Change) {
  const refusal = useRefusal({ tool, reads });
  const reason = refusal !== undefined && { title: refusal };
  return <Button {...props} disabled={Boolean(disabled) || refusal !== undefined} {...reason} />;
}

interface ConfirmProps extends Omit<ComponentProps<'button'>, 'onClick'>, Change {
  /** What a second click does, in words. */
  readonly question: string;
  readonly keep?: string;
  confirm(): unknown;
}

/** A button for a change that cannot be undone, which a second button confirms. */
export function ConfirmButton({ question, keep = 'Keep', confirm, children, ...props }: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  const { 'aria-label': _, ...look } = props;
  if (!asked)
    return (
      <ChangeButton {...props} onClick={() => setAsked(true)}>
        {children}
      </ChangeButton>
    );
  return (
    <>
      <ChangeButton
        {...look}
        onClick={() => {
          setAsked(false);
          confirm();
        }}
      >
        {question}
      </ChangeButton>
      <Button class="small" onClick={() => setAsked(false)}>
        {keep}
      </Button>
    </>
  );
}

interface ChangeLinkProps extends Change {
  readonly href: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link to a form that changes data. Where that is refused, it is a disabled button. */
export function ChangeLink({ href, class: look = '', children, ...change }: ChangeLinkProps) {
  if (useRefusal(change) !== undefined)
    return (
      <ChangeButton class={look} {...change}>
        {children}
      </ChangeButton>
    );
  return (
    <a class={`button ${look}`} href={href}>
      {children}
    </a>
  );
}

/** Tells on every view that the server is read-only. */
export function ReadOnlyMark() {
  const { readOnly } = useConnection();
  return readOnly ? (
    <span class="badge" title={readOnlyReason}>
      Read-only
    </span>
  ) : null;
}

export function CopyButton({ text }: { text: string }) {
  const [label, setLabel] = useState('Copy');
  const copy = async () => {
    // Chats may forbid it to the views that they show.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setLabel(copied ? 'Copied' : 'Not allowed here. Select the text and copy it.');
    setTimeout(() => setLabel('Copy'), copied ? 1500 : 5000);
  };
  return (
    <Button class="small" onClick={copy} disabled={text === ''}>
      {label}
    </Button>
  );
}

interface MoreButtonProps {
  readonly shown: number;
  readonly all: number;
  readonly step: number;
  readonly what: string;
  show(count: number): void;
}

/** Reveals the next `step` items of a long list. */
export function MoreButton({ shown, all, step, what, show }: MoreButtonProps) {
  if (all <= shown) return null;
  return (
    <Button class="small" onClick={() => show(shown + step)}>
      Show {Math.min(step, all - shown)} of {all - shown} more {what}
    </Button>
  );
}
