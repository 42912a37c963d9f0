import { Icon, type IconName } from '../controls/icon.tsx';

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
  /** The requests for permission that nobody has answered yet. */
  readonly approvals?: readonly unknown[] | undefined;
}

export function RunState({ status: current, approvals = [] }: RunStateProps) {
  const status = approvals.length > 0 ? 'asking' : current;
  const [look, word, icon] = states[status] ?? ['', status.replaceAll('_', ' ')];
  return (
    <span class={`state ${look}`}>
      {status === 'running' && <span class="spinner" />}
      {icon && <Icon name={icon} />}
      {word}
    </span>
  );
}
