import { messageOf } from '../../json.ts';
import { strictPlanSchema } from './answer.ts';
import { askEach } from './ask-each.ts';
import type { Answer, Model, Question } from './policy.ts';

export interface EndpointOptions {
  /** Up to and without `/chat/completions`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
}

const longestReply = 1 << 20;

/** Any server that speaks the chat completions of OpenAI. */
export function createEndpoint(options: EndpointOptions): Model {
  const { timeoutMs } = options;
  let takesSchemas = true;
  // Not every server can hold a model to a schema; the answer is checked in any case.
  const complete = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    const first = await request(options, question, takesSchemas, signal);
    if (!takesSchemas || first.status !== 400) return first;
    takesSchemas = false;
    return request(options, question, false, signal);
  };
  return {
    name: 'endpoint',
    identity: `${options.url} ${options.model}`,
    ask: (questions, signal, answered) => askEach(questions, complete, timeoutMs, signal, answered),
  };
}

async function request(
  { url, model, key }: EndpointOptions,
  { system, user }: Question,
  withSchema: boolean,
  signal: AbortSignal,
): Promise<Answer & { readonly status?: number }> {
  const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      temperature: 0,
      max_tokens: 2000,
      stream: false,
      ...(withSchema && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'notification_plan', strict: true, schema: strictPlanSchema },
        },
      }),
    }),
  });
  const body = await readAtMost(response, longestReply);
  if (!response.ok)
    return { trouble: `the model's server answered ${response.status}`, status: response.status };
  try {
    const text: unknown = JSON.parse(body)?.choices?.[0]?.message?.content;
    return typeof text === 'string' ? { text } : { trouble: 'the reply of the server has no message in it' };
  } catch (error) {
    return { trouble: `the reply of the server is not JSON: ${messageOf(error)}` };
  }
}

async function readAtMost(response: Response, longest: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longest) throw new Error('the reply is too long');
  }
  return text + decoder.decode();
}
