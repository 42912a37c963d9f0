import type { AskRequest } from '../../src/context.ts';
import { defineBareTool, type Tool } from '../../src/tool.ts';
import { askName, elicit, listRoots, sample } from './questions.ts';
import { say } from './samples.ts';

const noArguments = { type: 'object', properties: {} } as const;
const confirm = elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']);

/** Tools that ask the user, the model or the file system of the client, in one or more rounds. */
export const askingTools: readonly Tool[] = [
  defineBareTool({
    name: 'test_sampling',
    description: "Asks the client's model.",
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    async call({ prompt }, context) {
      const { answer } = await context.ask({ answer: sample(prompt) });
      return say(`LLM response: ${JSON.stringify(answer?.['content'])}`);
    },
  }),
  defineBareTool({
    name: 'test_elicitation',
    description: 'Asks the user.',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    async call({ message }, context) {
      const { answer } = await context.ask({
        answer: elicit(
          message,
          {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          ['username', 'email'],
        ),
      });
      return say(`User response: ${JSON.stringify(answer)}`);
    },
  }),
  askingTool('test_elicitation_sep1034_defaults', 'Asks with a default for every kind of field.', {
    answer: elicit('Please review the details', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  }),
  askingTool('test_elicitation_sep1330_enums', 'Asks with every kind of choice.', {
    answer: elicit('Please choose', {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
  }),
  askingTool('test_streaming_elicitation', 'Asks in the middle of its work.', { user_name: askName }),
  askingTool('test_missing_capability', 'Needs a model behind the client.', {
    answer: sample('Are you there?'),
  }),
  askingTool('test_input_required_result_elicitation', 'Asks for a name.', { user_name: askName }),
  askingTool('test_input_required_result_sampling', 'Asks the model.', {
    capital_question: sample('What is the capital of France?'),
  }),
  askingTool('test_input_required_result_list_roots', 'Asks for the roots.', { client_roots: listRoots }),
  askingTool('test_input_required_result_request_state', 'Carries its state through the client: state-ok.', {
    confirm,
  }),
  askingTool('test_input_required_result_tampered_state', 'Rejects forged state.', { confirm }),
  askingTool('test_input_required_result_multiple_inputs', 'Asks several questions at once.', {
    user_name: askName,
    greeting: sample('Generate a greeting', 50),
    client_roots: listRoots,
  }),
  defineBareTool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks two questions, one after the other.',
    inputSchema: noArguments,
    async call(_, context) {
      const { step1 } = await context.ask({
        step1: elicit('Step 1: What is your name?', { name: { type: 'string' } }, ['name']),
      });
      const { step2 } = await context.ask({
        step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']),
      });
      return say(`Answers: ${JSON.stringify([step1, step2])}`);
    },
  }),
  defineBareTool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client can answer.',
    inputSchema: noArguments,
    async call(_, context) {
      const answers = await context.ask({
        ...(context.can('elicitation') && { user_name: askName }),
        ...(context.can('sampling') && { greeting: sample('Generate a greeting') }),
      });
      return say(`Answers: ${JSON.stringify(answers)}`);
    },
  }),
];

function askingTool(
  name: string,
  description: string,
  questions: Readonly<Record<string, AskRequest>>,
): Tool {
  return defineBareTool({
    name,
    description,
    inputSchema: noArguments,
    call: async (_, context) => say(`${description} ${JSON.stringify(await context.ask(questions))}`),
  });
}

function titled(noun: string): readonly object[] {
  return ['First', 'Second', 'Third'].map((ordinal, index) => ({
    const: `value${index + 1}`,
    title: `${ordinal} ${noun}`,
  }));
}
