import type { ComponentChildren, ComponentProps } from 'preact';
import { useConnection } from './server-connection.tsx';

const readOnlyReason = 'This server is read-only: nothing can be changed here.';

/** A button that changes data. On a read-only server it is disabled and says why. */
export function ChangeButton({
  disabled = false,
  ...props
}: ComponentProps<'button'> & { disabled?: boolean }) {
  const { readOnly } = useConnection();
  return (
    <button
      type="button"
      {...props}
      disabled={disabled || readOnly}
      {...(readOnly && { title: readOnlyReason })}
    />
  );
}

/** A link to a form that changes data. On a read-only server it is a disabled button. */
export function ChangeLink({ href, children }: { href: string; children: ComponentChildren }) {
  const { readOnly } = useConnection();
  if (readOnly) return <ChangeButton>{children}</ChangeButton>;
  return (
    <a class="button" href={href}>
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
