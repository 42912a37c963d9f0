import { messageOf } from '../../json.ts';
import type { Answer, Question } from './policy.ts';

const atOnce = 4;
/** How many times the limit of one answer all of them together may take. */
const rounds = 2;

/**
 * Asks a few at a time. A model that does not answer in time, or cannot be reached at all, is not asked again, so that
 * one call waits for it once and not once for every event.
 */
export async function askEach(
  questions: readonly Question[],
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
  timeoutMs: number,
  signal: AbortSignal,
  answered: (count: number) => void = () => {},
): Promise<readonly Answer[]> {
  const answers: Answer[] = questions.map(() => ({ trouble: 'there was no time left to ask' }));
  const deadline = AbortSignal.timeout(rounds * timeoutMs);
  let given: string | undefined;
  let next = 0;
  let count = 0;
  const work = async () => {
    for (let index = next++; index < questions.length; index = next++) {
      if (given !== undefined) answers[index] = { trouble: given };
      else if (!deadline.aborted) {
        const limit = AbortSignal.timeout(timeoutMs);
        try {
          const inTime = AbortSignal.any([signal, deadline, limit]);
          answers[index] = await untilAborted(ask(questions[index]!, inTime), inTime);
        } catch (error) {
          signal.throwIfAborted();
          const late = limit.aborted || deadline.aborted;
          given ??= late ? `no answer within ${timeoutMs / 1000} s` : `cannot be asked (${causeOf(error)})`;
          answers[index] = { trouble: given };
        }
      }
      answered(++count);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** Somebody who does not look at the signal must not keep us waiting. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** What `fetch` reports lies in the cause; a code says more than "fetch failed". */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : messageOf(error);
}
