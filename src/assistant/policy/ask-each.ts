import { messageOf } from '../../json.ts';
import type { Answer, Question } from './policy.ts';

const concurrency = 4;
/** All questions together may take this many times the limit of one answer. */
const deadlineFactor = 2;

/**
 * Asks a few questions at a time. After a timeout or a failed connection the remaining questions are not asked, so that
 * a planning run waits for an unreachable model once and not once per event.
 */
export async function askEach(
  questions: readonly Question[],
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
  timeoutMs: number,
  signal: AbortSignal,
  answered: (count: number) => void = () => {},
): Promise<readonly Answer[]> {
  const answers: Answer[] = questions.map(() => ({ error: 'there was no time left to ask' }));
  const deadline = AbortSignal.timeout(deadlineFactor * timeoutMs);
  let stopReason: string | undefined;
  let next = 0;
  let count = 0;
  const work = async () => {
    for (let index = next++; index < questions.length; index = next++) {
      if (stopReason !== undefined) answers[index] = { error: stopReason };
      else if (!deadline.aborted) {
        const limit = AbortSignal.timeout(timeoutMs);
        try {
          const inTime = AbortSignal.any([signal, deadline, limit]);
          answers[index] = await untilAborted(ask(questions[index]!, inTime), inTime);
        } catch (error) {
          signal.throwIfAborted();
          const late = limit.aborted || deadline.aborted;
          stopReason ??= late
            ? `no answer within ${timeoutMs / 1000} s`
            : `the request failed (${failureReason(error)})`;
          answers[index] = { error: stopReason };
        }
      }
      answered(++count);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return answers;
}

/** Rejects on abort even if the work ignores the signal. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** `fetch` reports the reason in `cause`; its code says more than "fetch failed". */
function failureReason(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : messageOf(error);
}
