import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../controls/icon.tsx';

interface LineProps {
  readonly icon: IconName;
  /** A second, quiet line. */
  readonly more?: string | undefined;
  readonly children: ComponentChildren;
}

/** A fact of an event. */
export const Line = ({ icon, more, children }: LineProps) => (
  <p class="panel-line">
    <Icon name={icon} />
    <span>{children}</span>
    {more && <span class="quiet">{more}</span>}
  </p>
);
