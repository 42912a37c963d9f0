import type { ChatModel } from '../../chat-model.ts';
import { Failure } from '../../failure.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { TestResult } from '../testing/prompt-tests.ts';
import type { TestedRevisions } from '../testing/tested-revisions.ts';
import type { Versions } from '../versions/versions.ts';

export interface TestToolParts {
  readonly catalog: Catalog;
  readonly versions: Versions;
  readonly tested: TestedRevisions;
  readonly model?: ChatModel | undefined;
}

export function createTestTool({ catalog, versions, tested, model }: TestToolParts) {
  return defineTool({
    name: 'test_prompts',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Test prompts',
    description:
      'Runs the tests of prompts: checks on the rendered text and, if a model is configured, on its answer.',
    searchHint: 'check verify evaluate eval',
    phrases:
      'run tests of prompts evaluate eval check regression judge rubric try out answers still good pass fail grade score exam template works as expected model output quality results trial assess measure',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string' },
          maxItems: 1000,
          description: 'Only these prompts',
        },
        changed: { type: 'boolean', description: 'Only if changed since their tests passed' },
        ...pageArguments,
      },
    },
    outputSchema: {
      type: 'object',
      required: ['passed', 'failed', 'skipped', 'results'],
      properties: {
        passed: { type: 'integer' },
        failed: { type: 'integer' },
        skipped: { type: 'integer', description: 'Need a model' },
        results: {
          type: 'array',
          items: {
            type: 'object',
            required: ['prompt', 'test', 'outcome', 'failures'],
            properties: {
              prompt: { type: 'string' },
              test: { type: 'string' },
              outcome: { enum: ['passed', 'failed', 'skipped'] },
              failures: { type: 'array', items: { type: 'string' } },
            },
          },
        },
        ...nextPage,
      },
    },
    annotations: hints.sets,
    async call({ names, changed = false, ...page }, context) {
      const { runTests } = await import('../testing/prompt-tests.ts');
      const all = names ?? (await catalog.list()).filter(hasTests).map(({ definition }) => definition.name);
      const results: TestResult[] = [];
      const passed = new Map<string, string>();
      const test = async (name: string): Promise<readonly TestResult[]> => {
        const entry = await versions.find(name);
        const revision = await catalog.revision(entry);
        if (changed && tested.has(name, revision)) return [];
        const own = await runTests(entry, { model, signal: context.signal });
        if (own.every(({ outcome }) => outcome !== 'failed')) passed.set(name, revision);
        return own;
      };
      for (const [index, name] of all.entries()) {
        const own = await test(name).catch((error: unknown): readonly TestResult[] => {
          context.signal.throwIfAborted();
          if (!(error instanceof Failure)) throw error;
          // The caller still gets the results of all other prompts.
          return [{ prompt: name, test: 'prompt', outcome: 'failed', failures: [error.message] }];
        });
        results.push(...own);
        context.progress(index + 1, all.length, `${index + 1} of ${all.length} prompts tested`);
      }
      tested.add(passed);
      const count = (outcome: TestResult['outcome']) =>
        results.filter((one) => one.outcome === outcome).length;
      const { items, next } = pageOf(failuresFirst(results), (result) => result, page);
      return {
        structured: {
          ...{ passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
          ...{ results: items, ...next },
        },
      };
    },
  });
}

function hasTests({ definition }: { readonly definition: { readonly tests?: unknown } }): boolean {
  return definition.tests !== undefined;
}

function failuresFirst(results: readonly TestResult[]): readonly TestResult[] {
  const isFailed = ({ outcome }: TestResult) => outcome === 'failed';
  return [...results.filter(isFailed), ...results.filter((result) => !isFailed(result))];
}
