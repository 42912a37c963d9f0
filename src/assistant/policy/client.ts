import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import type { Answer, Model } from './policy.ts';

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
              maxTokens: 2000,
            },
          },
        ]),
      );
      const answers = await inTime(context.ask(requests), timeoutMs).catch((error: unknown) => {
        // Other errors belong to the protocol, for example a request for input.
        if (error instanceof Failure && (error.kind === 'unavailable' || error.kind === 'timeout'))
          return error;
        throw error;
      });
      return questions.map(({ key }, index): Answer => {
        if (index >= maxQuestions)
          return { error: `the client is asked about at most ${maxQuestions} events at a time` };
        return answers instanceof Failure ? { error: answers.message } : textOf(answers[key]);
      });
    },
  };
}

function inTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    const failure = new Failure('timeout', `no answer within ${timeoutMs / 1000} s`);
    timer = setTimeout(() => reject(failure), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function textOf(answer: Readonly<Record<string, unknown>> | undefined): Answer {
  const parts = [answer?.['content']].flat();
  const texts = parts.flatMap((part) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.length > 0 ? { text: texts.join('') } : { error: 'the answer of the client has no text' };
}
