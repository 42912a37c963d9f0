import { Icon, type IconName } from '../controls/icon.tsx';
import { isOpen } from './run-record.ts';

/** How a state is called and drawn: by a shape and a word, never by a colour alone. */
const states: Readonly<Record<string, readonly [look: string, word: string, icon?: IconName]>> = {
  asking: ['needs', 'Waiting for you'],
  waiting: ['', 'Waiting for other runs', 'clock'],
  running: ['running', 'Running'],
  interrupted: ['', 'Interrupted', 'pause'],
  completed: ['done', 'Done', 'done'],
  completed_with_problems: ['', 'Done, with problems', 'ask'],
  failed: ['failed', 'Failed', 'failed'],
  cancelled: ['', 'Cancelled', 'stop'],
};

interface RunStateProps {
  readonly status: string;
  /** True if nobody has answered its request for permission yet. */
  readonly asks?: boolean;
}

export function RunState({ status: current, asks = false }: RunStateProps) {
  const status = asks && isOpen(current) ? 'asking' : current;
  const [look, word, icon] = states[status] ?? ['', status.replaceAll('_', ' ')];
  return (
    <span class={`state ${look}`} data-status={status}>
      {status === 'running' && <span class="spinner" />}
      {icon && <Icon name={icon} />}
      {word}
    </span>
  );
}
