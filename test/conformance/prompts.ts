import type { Content } from '../../src/content.ts';
import { Failure } from '../../src/failure.ts';
import type { Prompt, PromptProvider, RenderedPrompt } from '../../src/feature.ts';
import { elicit } from './questions.ts';
import { pixel, text } from './samples.ts';

const listed: readonly Prompt[] = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments.', arguments: [] },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments.',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with an embedded resource.',
    arguments: [{ name: 'resourceUri', description: 'The resource to embed', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image.', arguments: [] },
  {
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks before it is rendered.',
    arguments: [],
  },
];

export const prompts: PromptProvider = {
  list: async () => listed,
  async get(name, args, context) {
    switch (name) {
      case 'test_simple_prompt':
        return fromUser(text('This is a simple prompt for testing.'));
      case 'test_prompt_with_arguments':
        return fromUser(text(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`));
      case 'test_prompt_with_embedded_resource':
        return fromUser(
          {
            type: 'resource',
            resource: {
              uri: String(args['resourceUri']),
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
          text('Please process the embedded resource above.'),
        );
      case 'test_prompt_with_image':
        return fromUser(pixel, text('Please analyze the image above.'));
      case 'test_input_required_result_prompt': {
        const question = elicit('What context should the prompt use?', { context: { type: 'string' } }, [
          'context',
        ]);
        const { user_context } = await context.ask({ user_context: question });
        return fromUser(text(`In the context of ${JSON.stringify(user_context?.['content'])}.`));
      }
      default:
        throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    }
  },
  complete: async (name, _argument, value) =>
    listed.some((prompt) => prompt.name === name)
      ? ['paris', 'park', 'party'].filter((candidate) => candidate.startsWith(value))
      : undefined,
};

function fromUser(...contents: readonly Content[]): RenderedPrompt {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
