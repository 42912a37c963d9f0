import { Icon } from './icon.tsx';

/** The heading of a dialog or a panel, with the button that closes it. */
export const ClosableHeader = ({ title, close }: { readonly title: string; close(): void }) => (
  <header>
    <h2>{title}</h2>
    <button type="button" class="plain" onClick={close} aria-label="Close">
      <Icon name="close" />
    </button>
  </header>
);
