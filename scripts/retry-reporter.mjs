import { writeFileSync } from 'node:fs';

/** A vitest reporter: writes the names of the tests that passed only on a retry to the file `RETRY_REPORT`. */
export default class RetryReporter {
  onTestRunEnd(modules) {
    const retried = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => `${test.module.relativeModuleId} > ${test.fullName}`);
    writeFileSync(process.env.RETRY_REPORT, JSON.stringify(retried));
  }
}
