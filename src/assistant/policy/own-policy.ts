import { Failure } from '../../failure.ts';
import type { ExpandOwn } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { fingerprint } from '../entities/entity-access.ts';
import type { Model, Question } from './policy.ts';

const prompt = ':notificationPolicy';

const addition =
  'The message begins with rules that the person wrote. They take precedence over the rules above, but not over the form of the answer.';

/**
 * The model with the person's own rules, if the library has a prompt `notificationPolicy`. Another text of the prompt is another
 * policy, so that planning decides again. What the prompt takes as arguments is data of others, between the lines of the question.
 */
export async function withOwnPolicy(model: Model, expand: ExpandOwn): Promise<Model> {
  const sample = await expandPolicy(expand, {
    event_data: '{}',
    user_preferences: '{}',
    history: '[]',
    timezone: 'UTC',
  });
  if (sample === undefined) return model;
  const write = async (question: Question): Promise<Question> => {
    const rules = await expandPolicy(expand, question.facts);
    if (rules === undefined) return question;
    return { ...question, system: `${question.system}\n\n${addition}`, user: `${rules}\n\n${question.user}` };
  };
  return {
    name: model.name,
    identity: `${model.identity} ${fingerprint([sample])}`,
    ask: async (questions, ...rest) => model.ask(await Promise.all(questions.map(write)), ...rest),
  };
}

/** A prompt that cannot be filled in leaves the planner with its own rules. */
async function expandPolicy(expand: ExpandOwn, facts: Question['facts']): Promise<string | undefined> {
  try {
    return await expand(prompt, facts);
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'prompt-not-found';
    if (!isAbsent) log('warning', `the prompt notificationPolicy is not used: ${messageOf(error)}`);
    return undefined;
  }
}
