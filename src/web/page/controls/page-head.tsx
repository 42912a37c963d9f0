import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: ComponentChildren;
  /** The names and addresses of what contains the item, outermost first. */
  readonly path?: readonly (readonly [title: string, href: string])[];
  /** The position of the item in its list, shown after the path. */
  readonly here?: string;
  /** Beside the path, such as the place in a list. */
  readonly place?: ComponentChildren;
  /** Buttons. At most one of them is primary. */
  readonly actions?: ComponentChildren;
  /** The state of the item and two or three facts. */
  readonly children?: ComponentChildren;
}

/** The top of a view, which stays visible while the content scrolls. */
export function PageHead({ title, path, here, place, actions, children }: Props) {
  return (
    <header class="page-head">
      {path && (
        <nav class="crumb" aria-label="Path">
          {path.map(([name, href]) => (
            <>
              <a key={href} href={href}>
                {name}
              </a>
              <Icon name="right" />
            </>
          ))}
          <span class="cut">{here}</span>
          <span class="grow" />
          {place}
        </nav>
      )}
      <h1>{title}</h1>
      {children}
      {actions && <div class="head-actions">{actions}</div>}
    </header>
  );
}
