import type { ChatMessage, ChatModel } from '../../chat-model.ts';
import { Failure } from '../../failure.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import type { Trial, TrialStore } from '../testing/trial-store.ts';
import type { Versions } from '../versions/versions.ts';
import { knownNameSchema } from './prompt-schemas.ts';

const trialSchema = {
  type: 'object',
  required: [
    'prompt',
    'revision',
    'time',
    'model',
    'arguments',
    'answer',
    'input_tokens',
    'output_tokens',
    'duration_ms',
  ],
  properties: {
    prompt: { type: 'string' },
    revision: { type: 'string' },
    time: { type: 'string' },
    model: { type: 'string' },
    arguments: { type: 'object', additionalProperties: { type: 'string' } },
    answer: { type: 'string' },
    input_tokens: { type: 'integer' },
    output_tokens: { type: 'integer' },
    duration_ms: { type: 'integer' },
    run_id: { type: 'string', description: 'If a sub-agent answered' },
  },
} as const;

const { prompt: _prompt, time: _time, arguments: _arguments, ...answerProperties } = trialSchema.properties;
const acceptedSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { ...knownNameSchema, description: 'Prompt, or name@revision' },
    arguments: { type: 'object', additionalProperties: { type: 'string' }, description: 'By name' },
    answered: {
      type: 'object',
      required: ['revision', 'model', 'answer', 'input_tokens', 'output_tokens', 'duration_ms'],
      properties: { ...answerProperties, answer: { type: 'string', maxLength: 1_000_000 } },
      additionalProperties: false,
    },
  },
} as const;
/** Lists describe `answered` in short, because every character costs. */
const announced = {
  ...acceptedSchema,
  properties: {
    ...acceptedSchema.properties,
    answered: { type: 'object', description: 'Answer from elsewhere, fields as in the result' },
  },
} as const;

export interface TryToolParts {
  readonly catalog: Catalog;
  readonly versions: Versions;
  readonly trials: TrialStore;
  readonly model?: ChatModel | undefined;
}

export function createTryTools({ catalog, versions, trials, model }: TryToolParts) {
  const keep = async (answered: Omit<Trial, 'time'>) => {
    const trial = { ...answered, time: new Date().toISOString() };
    await trials.add(trial);
    return { structured: trial };
  };
  return [
    defineTool({
      name: 'try_prompt',
      replaces: ['keep_trial'],
      toolsets: ['prompt_editing'],
      scope: 'prompts:write',
      title: 'Try prompt',
      description:
        'Sends a filled-in prompt to the configured model and keeps the answer, or the one in answered. Use it to compare revisions.',
      searchHint: 'compare revisions answer',
      phrases:
        'try out experiment send filled prompt to the model see its answer response compare two revisions versions side by side playground sample output keep record an answer of a sub-agent run as a trial',
      inputSchema: announced as unknown as typeof acceptedSchema,
      acceptedSchema,
      outputSchema: trialSchema,
      annotations: { ...hints.adds, openWorldHint: true },
      async call({ name, arguments: args = {}, answered }, context) {
        const entry = await versions.find(name);
        const about = { prompt: entry.definition.name, arguments: args };
        if (answered !== undefined) return keep({ ...about, ...answered });
        if (model === undefined)
          throw new Failure(
            'unavailable',
            'No model is configured. Set assistant.model_url and assistant.model to try prompts.',
          );
        const { messages } = await renderPrompt(entry.definition, args, entry.source);
        const chat = messages.flatMap(({ role, content }): ChatMessage[] =>
          content.type === 'text' ? [{ role, content: content.text }] : [],
        );
        const { streamAnswer } = await import('../testing/test-model.ts');
        let length = 0;
        const started = performance.now();
        const onText = (text: string) => {
          length += text.length;
          context.progress(length, undefined, text);
        };
        const { text, ...tokens } = await streamAnswer(model, chat, onText, context.signal);
        return keep({
          ...about,
          revision: await catalog.revision(entry),
          model: model.model,
          answer: text,
          ...tokens,
          duration_ms: Math.round(performance.now() - started),
        });
      },
    }),
    defineTool({
      name: 'list_trials',
      toolsets: ['prompt_editing'],
      scope: 'prompts:write',
      title: 'List trials',
      description:
        'Lists the answers that a prompt got in try_prompt, the latest first, with tokens and time per revision.',
      phrases:
        'earlier answers of tried prompts results experiments trials tokens time per revision comparison playground log',
      inputSchema: {
        type: 'object',
        required: ['name'],
        properties: { name: knownNameSchema, ...pageArguments },
      },
      outputSchema: {
        type: 'object',
        required: ['trials'],
        properties: { trials: { type: 'array', items: trialSchema }, ...nextPage },
      },
      annotations: hints.reads,
      async call({ name, ...page }) {
        const { items, next } = pageOf(await trials.list(name), (trial) => trial, page);
        return { structured: { trials: items, ...next } };
      },
    }),
  ];
}
