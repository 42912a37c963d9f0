import { Failure } from '../../failure.ts';
import { isObject, messageOf } from '../../json.ts';
import { type ChatMessage, type ModelOptions, parseJson } from './test-model.ts';
import { estimateTokens } from './tokens.ts';

export interface ModelAnswer {
  readonly text: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Asks the model of the configuration and passes on the text while it arrives. Throws `unavailable` on failure. */
export async function streamAnswer(
  { url, model, key, timeoutMs }: ModelOptions,
  messages: readonly ChatMessage[],
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } }),
    });
    if (!response.ok) throw new Error(`it answered with status ${response.status}`);
    let text = '';
    let usage: Readonly<Record<string, unknown>> = {};
    for await (const chunk of chunksOf(response)) {
      const delta = textOf(chunk);
      text += delta;
      if (delta !== '') onText(delta);
      if (isObject(chunk['usage'])) usage = chunk['usage'];
    }
    if (text === '') throw new Error('its reply contains no message');
    const sent = messages.map(({ content }) => content).join('\n');
    return {
      text,
      input_tokens: Number(usage['prompt_tokens'] ?? estimateTokens(sent)),
      output_tokens: Number(usage['completion_tokens'] ?? estimateTokens(text)),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw new Failure('unavailable', `The model ${model} at ${url} gave no answer: ${messageOf(error)}`);
  }
}

/** The events of a streamed reply, or the whole reply of a model that does not stream. */
async function* chunksOf(response: Response): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const streams = response.headers.get('content-type')?.includes('event-stream');
  let rest = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    rest += part;
    if (!streams) continue;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop()!;
    for (const line of lines) {
      const event = line.startsWith('data:') ? parseJson(line.slice(5)) : undefined;
      if (isObject(event)) yield event;
    }
  }
  const whole = streams ? undefined : parseJson(rest);
  if (isObject(whole)) yield whole;
}

function textOf({ choices }: Readonly<Record<string, unknown>>): string {
  const [first] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const part = isObject(first) ? (first['delta'] ?? first['message']) : undefined;
  return isObject(part) && typeof part['content'] === 'string' ? part['content'] : '';
}
