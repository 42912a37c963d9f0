import { parseAnswer } from './answer.ts';
import type { Answer, Decision, Model, PolicyInput, Question } from './policy.ts';
import { buildQuestion, buildRepairQuestion } from './question.ts';
import { decideByRules } from './rules.ts';

/**
 * Returns one decision per input. The answer of a model is parsed and validated. After an invalid answer the model is
 * asked once more; if that fails too, the built-in rules decide and the decision gives the reason.
 */
export async function decide(
  model: Model | undefined,
  inputs: readonly PolicyInput[],
  signal: AbortSignal,
  answered?: (count: number) => void,
): Promise<readonly Decision[]> {
  if (model === undefined || inputs.length === 0) return inputs.map((input) => decideByRules(input));
  const questions = inputs.map(buildQuestion);
  const decisions: (Decision | undefined)[] = inputs.map(() => undefined);
  const retries: { index: number; question: Question }[] = [];
  for (const [index, answer] of (await model.ask(questions, signal, answered)).entries()) {
    const read = readAnswer(model, answer, '');
    if ('policy' in read) decisions[index] = read;
    else if ('text' in answer)
      retries.push({ index, question: buildRepairQuestion(questions[index]!, answer.text, read.problem) });
    else decisions[index] = decideByRules(inputs[index]!, `${model.name}: ${read.problem}`);
  }
  if (retries.length > 0) {
    const repaired = await model.ask(
      retries.map(({ question }) => question),
      signal,
    );
    for (const [position, { index }] of retries.entries()) {
      const read = readAnswer(model, repaired[position]!, ' (repaired)');
      decisions[index] =
        'policy' in read
          ? read
          : decideByRules(inputs[index]!, `${model.name}: its answers were invalid (${read.problem})`);
    }
  }
  return decisions.map(
    (decision, index) => decision ?? decideByRules(inputs[index]!, `${model.name}: no answer`),
  );
}

function readAnswer(model: Model, answer: Answer, note: string): Decision | { readonly problem: string } {
  if ('error' in answer) return { problem: answer.error };
  const parsed = parseAnswer(answer.text);
  if ('problem' in parsed) return parsed;
  const reason = `${parsed.reason || 'no reason given'}${note}`;
  return { policy: model.name, reason, proposals: parsed.proposals, provisional: false };
}
