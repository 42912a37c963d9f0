import { askEach } from './ask-each.ts';
import type { Model } from './policy.ts';

/** Runs one task in a sub-agent and resolves to its final message. */
export type DelegateTask = (task: string, signal: AbortSignal) => Promise<string>;

/** Lets a sub-agent decide. */
export function createDelegateModel(run: DelegateTask, timeoutMs: number): Model {
  return {
    name: 'delegate',
    identity: 'delegate',
    ask: (questions, signal, answered) =>
      askEach(
        questions,
        async ({ system, user }, inTime) => ({ text: await run(`${system}\n\n${user}`, inTime) }),
        timeoutMs,
        signal,
        answered,
      ),
  };
}
