import { writeFileSync } from 'node:fs';

/** A vitest reporter: writes the tests that passed only on a retry, and why they failed before, to the file `RETRY_REPORT`. */
export default class RetryReporter {
  onTestRunEnd(modules) {
    const retried = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => {
        const reasons = (test.result().errors ?? []).map(({ message, stacks = [] }) => {
          const [at] = stacks;
          return `\n  ${message}${at === undefined ? '' : ` (line ${at.line} of ${at.file})`}`;
        });
        return `${test.module.relativeModuleId} > ${test.fullName}${reasons.join('')}`;
      });
    writeFileSync(process.env.RETRY_REPORT, JSON.stringify(retried));
  }
}
