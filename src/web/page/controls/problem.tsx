/** Why the last change failed, announced to screen readers. */
export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null;
