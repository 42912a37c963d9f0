import type { ComponentChildren } from 'preact';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  expand(): void;
}

/** What a chat shows first: a title, a few lines, and one button that opens the whole view. */
export function ChatCard({ title, children, expand }: Props) {
  return (
    <article class="chat-card">
      <header class="row">
        <h1 class="cut grow" title={title}>
          {title}
        </h1>
        <Button class="plain only" aria-label="Show more" title="Show more" onClick={expand}>
          <Icon name="expand" />
        </Button>
      </header>
      {children}
    </article>
  );
}
