import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files with long tests. If one of them started last, the other workers would have nothing to do. */
const long = [
  'test/chaos',
  'test/hostile',
  'test/agents',
  'test/e2e/readme.test.ts',
  'test/e2e/newcomer.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/real-clients.test.ts',
  'test/e2e/delivery.test.ts',
  'test/conformance',
  'test/e2e/page',
  'test/sandbox',
  'test/apps',
  'test/e2e',
  'test/delegate',
  'test/identity',
  'test/guesses',
  'test/contributing.test.ts',
];

/** Starts the files with the longest tests first, and those of a folder by their last duration or their size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex((path) => moduleId.includes(`/${path}`));
      return at === -1 ? long.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/components/**'],
    globalSetup: ['scripts/fresh-build.mjs', 'test/private-environment.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests start servers and browsers of their own, and often wait for them. Three files at a time keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Real processes race on a busy machine.
    retry: process.env['CI'] ? 2 : 0,
  },
});
