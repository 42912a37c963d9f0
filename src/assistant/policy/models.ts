import { type ChatModel, postChat } from '../../chat-model.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, messageOf } from '../../json.ts';
import { readReply } from '../../request-body.ts';
import { strictPlansSchema } from './answer.ts';
import type { Answer, Model, Question } from './policy.ts';

/** Enough for the plans of one day. */
const maxTokens = 4000;

/** Asks a model on a server with an OpenAI-compatible chat completions API. */
export function createEndpoint(options: ChatModel): Model {
  const { timeoutMs } = options;
  let supportsSchemas = true;
  // Some servers reject `response_format`. The answer is validated in any case.
  const complete = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    const first = await request(options, question, supportsSchemas, signal);
    if (!supportsSchemas || first.status !== 400) return first;
    supportsSchemas = false;
    return request(options, question, false, signal);
  };
  return {
    name: 'endpoint',
    identity: `${options.url} ${options.model}`,
    ask: (questions, signal, answered) => askEach(questions, complete, timeoutMs, signal, answered),
  };
}

async function request(
  options: ChatModel,
  { system, user }: Question,
  withSchema: boolean,
  signal: AbortSignal,
): Promise<Answer & { readonly status?: number }> {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ] as const;
  const schema = { name: 'notification_plans', strict: true, schema: strictPlansSchema };
  const form = withSchema && { response_format: { type: 'json_schema', json_schema: schema } };
  const response = await postChat(
    options,
    messages,
    { temperature: 0, max_tokens: maxTokens, stream: false, ...form },
    signal,
  );
  const body = await readReply(response);
  if (!response.ok)
    return { error: `the model server answered with status ${response.status}`, status: response.status };
  try {
    const text: unknown = JSON.parse(body)?.choices?.[0]?.message?.content;
    return typeof text === 'string'
      ? { text }
      : { error: 'the reply of the model server contains no message' };
  } catch (error) {
    return { error: `the reply of the model server is not JSON: ${messageOf(error)}` };
  }
}

/** A small limit, because the client may ask a person to approve each request. */
const maxQuestions = 10;

/** Asks the model of the calling client through MCP sampling. */
export function createClientModel(context: Context, timeoutMs: number): Model {
  return {
    name: 'client',
    identity: 'client',
    async ask(questions) {
      const asked = questions.slice(0, maxQuestions);
      const requests = Object.fromEntries(
        asked.map(({ key, system, user }) => [
          key,
          {
            method: 'sampling/createMessage' as const,
            params: {
              messages: [{ role: 'user', content: { type: 'text', text: user } }],
              systemPrompt: system,
              maxTokens,
            },
          },
        ]),
      );
      const late = AbortSignal.timeout(timeoutMs);
      const answers = await untilAborted(context.ask(requests), late).catch((error: unknown) => {
        if (error === late.reason) return new Failure('timeout', `no answer within ${timeoutMs / 1000} s`);
        // Other errors belong to the protocol, for example a request for input.
        if (error instanceof Failure && error.kind === 'unavailable') return error;
        throw error;
      });
      return questions.map(({ key }, index): Answer => {
        if (index >= maxQuestions)
          return { error: `the client is asked about at most ${maxQuestions} days at a time` };
        return answers instanceof Failure ? { error: answers.message } : textOf(answers[key]);
      });
    },
  };
}

function textOf(answer: Readonly<Record<string, unknown>> | undefined): Answer {
  const parts = [answer?.['content']].flat();
  const texts = parts.flatMap((part) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.length > 0 ? { text: texts.join('') } : { error: 'the answer of the client has no text' };
}

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
