import { answer, script, type Turn } from '../model/turn.ts';

/** A job whose agent performs these turns. */
export const job = (id: string, more: object = {}, ...turns: Turn[]) => ({
  id,
  title: `Job ${id}`,
  thinking_level: 'medium',
  task: `Do ${id}. ${script(...(turns.length > 0 ? turns : [answer({ summary: `Did ${id}.` })]))}`,
  sandbox: 'read-only',
  depends_on: [],
  skills: [],
  acceptance: [],
  ...more,
});

/** A task that is large enough to be delegated. The scripted planner answers with these jobs. */
export const autopilotTask = (...jobs: object[]) =>
  `Refactor the parser, update the tests and rewrite the docs. ${script({
    say: JSON.stringify({ should_delegate: true, reason: 'Many parts.', jobs }),
  })}`;
