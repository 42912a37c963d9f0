import { askEach } from './ask-each.ts';
import type { Model } from './policy.ts';

/** Runs one task in a sub-agent and resolves to what it said. */
export type DelegateTask = (task: string, signal: AbortSignal) => Promise<string>;

/** A sub-agent as the policy. */
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
