import type { Config } from '../config.ts';
import { owner } from '../context.ts';
import { openAudit } from '../feature-options.ts';
import { withoutPassword } from '../without-password.ts';

/** Runs an action that changes files. The security log has an entry before it, and its outcome after it. */
export async function recordChange<Value>(
  config: Config,
  action: string,
  subject: string | undefined,
  work: () => Promise<Value>,
  isDone: (value: Value) => boolean = () => true,
): Promise<Value> {
  const audit = openAudit(config);
  try {
    return await audit.run(
      { actor: owner, action, args: { id: subject && withoutPassword(subject) } },
      { work, outcome: (end) => ({ outcome: 'value' in end && isDone(end.value) ? 'done' : 'failed' }) },
    );
  } finally {
    await audit.close();
  }
}
