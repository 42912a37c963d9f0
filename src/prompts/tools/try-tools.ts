import { Failure } from '../../failure.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import type { ChatMessage, ModelOptions } from '../testing/test-model.ts';
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

const { time: _, ...keptProperties } = trialSchema.properties;
/** A trial that another program has made. */
const keptSchema = {
  type: 'object',
  required: trialSchema.required.filter((name) => name !== 'time'),
  properties: { ...keptProperties, answer: { type: 'string', maxLength: 1_000_000 } },
  additionalProperties: false,
} as const;

export interface TryToolParts {
  readonly catalog: Catalog;
  readonly versions: Versions;
  readonly trials: TrialStore;
  readonly model?: ModelOptions | undefined;
}

export function createTryTools({ catalog, versions, trials, model }: TryToolParts) {
  return [
    defineTool({
      name: 'try_prompt',
      toolsets: ['prompt_editing'],
      scope: 'prompts:write',
      title: 'Try prompt',
      description:
        'Sends a filled-in prompt to the configured model and keeps the answer. Use it to compare revisions.',
      searchHint: 'compare revisions answer',
      phrases:
        'try out experiment send filled prompt to the model see its answer response compare two revisions versions side by side playground sample output',
      inputSchema: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { ...knownNameSchema, description: 'Prompt, or name@revision' },
          arguments: { type: 'object', additionalProperties: { type: 'string' }, description: 'By name' },
        },
      },
      outputSchema: trialSchema,
      annotations: { ...hints.adds, openWorldHint: true },
      async call({ name, arguments: args = {} }, context) {
        if (model === undefined)
          throw new Failure(
            'unavailable',
            'No model is configured. Set assistant.model_url and assistant.model to try prompts.',
          );
        const entry = await versions.find(name);
        const { messages } = await renderPrompt(entry.definition, args, entry.source);
        const chat = messages.flatMap(({ role, content }): ChatMessage[] =>
          content.type === 'text' ? [{ role, content: content.text }] : [],
        );
        const { streamAnswer } = await import('../testing/streamed-answer.ts');
        let length = 0;
        const started = performance.now();
        const onText = (text: string) => {
          length += text.length;
          context.progress(length, undefined, text);
        };
        const { text, ...tokens } = await streamAnswer(model, chat, onText, context.signal);
        const trial: Trial = {
          prompt: entry.definition.name,
          revision: await catalog.revision(entry),
          time: new Date().toISOString(),
          model: model.model,
          arguments: args,
          answer: text,
          ...tokens,
          duration_ms: Math.round(performance.now() - started),
        };
        trials.add(trial);
        return { structured: trial };
      },
    }),
    defineTool({
      name: 'keep_trial',
      toolsets: ['prompt_editing'],
      scope: 'prompts:write',
      title: 'Keep trial',
      description: 'Keeps an answer that a prompt got elsewhere, such as from a sub-agent, for list_trials.',
      phrases:
        'keep record store save an answer result of a sub-agent run as a trial of a prompt revision for comparison playground',
      inputSchema: {
        type: 'object',
        required: ['trial'],
        properties: { trial: { type: 'object', description: 'As list_trials returns it, without time' } },
        additionalProperties: false,
      },
      acceptedSchema: {
        type: 'object',
        required: ['trial'],
        properties: { trial: keptSchema },
        additionalProperties: false,
      },
      outputSchema: trialSchema,
      annotations: hints.adds,
      async call({ trial: given }) {
        const answered = given as unknown as Omit<Trial, 'time'>;
        const { name } = (await versions.find(answered.prompt)).definition;
        const trial: Trial = { ...answered, prompt: name, time: new Date().toISOString() };
        trials.add(trial);
        return { structured: trial };
      },
    }),
    defineTool({
      name: 'list_trials',
      toolsets: ['prompt_editing'],
      scope: 'prompts:write',
      title: 'List trials',
      description:
        'Lists the answers that a prompt got in try_prompt or keep_trial, the latest first, with tokens and time per revision.',
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
        const { items, next } = pageOf(trials.list(name), (trial) => trial, page);
        return { structured: { trials: items, ...next } };
      },
    }),
  ];
}
