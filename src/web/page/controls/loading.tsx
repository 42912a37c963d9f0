/** Grey lines where something will be. Nothing for the first moment, in which most answers arrive. */
export const Loading = () => (
  <div class="loading" role="status" aria-label="Loading">
    <i class="ghost-line" />
    <i class="ghost-line" />
    <i class="ghost-line" />
  </div>
);
