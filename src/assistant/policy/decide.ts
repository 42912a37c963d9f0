import { parseAnswer } from './answer.ts';
import type { Answer, Decision, Model, PolicyInput, Question } from './policy.ts';
import { questionOf, repairOf } from './question.ts';
import { decideByRules } from './rules.ts';

/**
 * One decision for each input. What a model says is parsed and checked; what cannot be used is asked once more; what
 * still cannot be used is decided by the rules, and the decision says so.
 */
export async function decide(
  model: Model | undefined,
  inputs: readonly PolicyInput[],
  signal: AbortSignal,
  answered?: (count: number) => void,
): Promise<readonly Decision[]> {
  if (model === undefined || inputs.length === 0) return inputs.map((input) => decideByRules(input));
  const questions = inputs.map(questionOf);
  const decisions: (Decision | undefined)[] = inputs.map(() => undefined);
  const again: { index: number; question: Question }[] = [];
  for (const [index, answer] of (await model.ask(questions, signal, answered)).entries()) {
    const read = readAnswer(model, answer, '');
    if ('policy' in read) decisions[index] = read;
    else if ('text' in answer)
      again.push({ index, question: repairOf(questions[index]!, answer.text, read.problem) });
    else decisions[index] = decideByRules(inputs[index]!, `${model.name}: ${read.problem}`);
  }
  if (again.length > 0) {
    const repaired = await model.ask(
      again.map(({ question }) => question),
      signal,
    );
    for (const [position, { index }] of again.entries()) {
      const read = readAnswer(model, repaired[position]!, ' (repaired)');
      decisions[index] =
        'policy' in read
          ? read
          : decideByRules(inputs[index]!, `${model.name}: its answers could not be used (${read.problem})`);
    }
  }
  return decisions.map(
    (decision, index) => decision ?? decideByRules(inputs[index]!, `${model.name}: no answer`),
  );
}

function readAnswer(model: Model, answer: Answer, note: string): Decision | { readonly problem: string } {
  if ('trouble' in answer) return { problem: answer.trouble };
  const parsed = parseAnswer(answer.text);
  if ('problem' in parsed) return parsed;
  const reason = `${parsed.reason || 'no reason given'}${note}`;
  return { policy: model.name, reason, proposals: parsed.proposals, provisional: false };
}
