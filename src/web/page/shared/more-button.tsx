interface Props {
  readonly shown: number;
  readonly all: number;
  readonly step: number;
  readonly what: string;
  show(count: number): void;
}

/** Reveals the next `step` items of a long list. */
export function MoreButton({ shown, all, step, what, show }: Props) {
  if (all <= shown) return null;
  return (
    <button type="button" class="small" onClick={() => show(shown + step)}>
      Show {Math.min(step, all - shown)} of {all - shown} more {what}
    </button>
  );
}
