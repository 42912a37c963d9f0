import { messageOf } from '../../json.ts';
import { strictPlanSchema } from './answer.ts';
import { askEach } from './ask-each.ts';
import type { Answer, Model, Question } from './policy.ts';

export interface EndpointOptions {
  /** Base URL without `/chat/completions`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
}

const maxReplyLength = 1 << 20;

/** Asks a model on a server with an OpenAI-compatible chat completions API. */
export function createEndpoint(options: EndpointOptions): Model {
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
  const body = await readAtMost(response, maxReplyLength);
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

async function readAtMost(response: Response, maxLength: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxLength) throw new Error(`the reply is longer than ${maxLength} characters`);
  }
  return text + decoder.decode();
}
