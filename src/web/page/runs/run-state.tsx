import { Icon, type IconName } from '../controls/icon.tsx';

/** How a state is called and drawn: by a shape and a word, never by a colour alone. */
const states: Readonly<Record<string, readonly [look: string, word: string, icon?: IconName]>> = {
  waiting: ['needs', 'Waiting for you'],
  running: ['running', 'Running'],
  interrupted: ['', 'Interrupted', 'pause'],
  completed: ['done', 'Done', 'done'],
  completed_with_problems: ['', 'Done, with problems', 'ask'],
  failed: ['failed', 'Failed', 'failed'],
  cancelled: ['', 'Cancelled', 'stop'],
};

export function RunState({ status }: { readonly status: string }) {
  const [look, word, icon] = states[status] ?? ['', status.replaceAll('_', ' ')];
  return (
    <span class={`state ${look}`}>
      {status === 'running' && <span class="spinner" />}
      {icon && <Icon name={icon} />}
      {word}
    </span>
  );
}
