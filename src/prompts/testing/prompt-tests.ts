import type { ChatModel } from '../../chat-model.ts';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { PromptDefinition, PromptTest } from '../definition/definition.ts';
import { testName } from '../definition/prompt-fields.ts';
import { testProblem } from '../lint/finding.ts';
import { flatten, renderPrompt } from '../rendering/rendering.ts';

export interface TestResult {
  readonly prompt: string;
  readonly test: string;
  /** `skipped`: only the answer is checked, and no model is configured. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly failures: readonly string[];
}

interface TestOptions {
  /** Also checks the answers of this model. */
  readonly model?: ChatModel | undefined;
  readonly signal?: AbortSignal;
}

/** Runs the tests of one prompt. */
export async function runTests(
  entry: CatalogEntry,
  options: TestOptions = {},
): Promise<readonly TestResult[]> {
  const { name, tests = [] } = entry.definition;
  const results: TestResult[] = [];
  for (const [index, test] of tests.entries()) {
    const { failures, skipped } = await runTest(entry, test, options);
    const outcome = failures.length > 0 ? 'failed' : skipped ? 'skipped' : 'passed';
    results.push({ prompt: name, test: testName(test, index), outcome, failures });
  }
  return results;
}

async function runTest(
  { definition, source }: CatalogEntry,
  test: PromptTest,
  { model, signal }: TestOptions,
): Promise<{ readonly failures: readonly string[]; readonly skipped: boolean }> {
  const { answer, fails, invalid, arguments: given = {}, name: _, ...checks } = test;
  const done = (failures: readonly string[]) => ({ failures, skipped: false });
  if (invalid !== undefined) return done([invalid]);
  let rendered: Awaited<ReturnType<typeof renderPrompt>>;
  try {
    rendered = await renderPrompt(definition, given, source);
  } catch (error) {
    if (fails === undefined || !(error instanceof Failure))
      return done([`the prompt does not render: ${messageOf(error)}`]);
    if (error.message.includes(fails)) return done([]);
    return done([`the error does not contain ${JSON.stringify(fails)}: ${error.message}`]);
  }
  if (fails !== undefined) return done(['the prompt renders, but an error is expected']);
  const { failedChecks } = await import('./text-checks.ts');
  const failures = await failedChecks(flatten(rendered.messages), checks, 'the text');
  if (answer === undefined || failures.length > 0) return done(failures);
  if (model === undefined) return { failures, skipped: Object.keys(checks).length === 0 };
  const { failedAnswer } = await import('./text-checks.ts');
  return done(
    await failedAnswer(rendered.messages, answer, model, signal).catch((error: unknown) => {
      // Only the checks that need the answer fail; the caller still gets all other results.
      signal?.throwIfAborted();
      return [messageOf(error)];
    }),
  );
}

const known = new WeakMap<PromptDefinition, Promise<readonly Problem[]>>();

/**
 * Failing tests as problems of their prompts. Answers of models are not checked. Results are kept until the prompt
 * changes. `find` returns a prompt that is linked to the templates of its library.
 */
export async function failingTests(
  entries: readonly CatalogEntry[],
  find: (name: string) => Promise<CatalogEntry>,
): Promise<readonly Problem[]> {
  const findAndTest = async (name: string) => problemsOf(await find(name));
  const tested = entries.filter(({ definition }) => definition.tests !== undefined);
  const problems = tested.map(({ definition }) => {
    const running = known.get(definition) ?? findAndTest(definition.name);
    known.set(definition, running);
    return running.catch(() => []);
  });
  return (await Promise.all(problems)).flat();
}

async function problemsOf(entry: CatalogEntry): Promise<readonly Problem[]> {
  return (await runTests(entry))
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ test, failures }) => testProblem(entry.definition, test, failures[0]!));
}
