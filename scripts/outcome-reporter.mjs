import { writeFileSync } from 'node:fs';

/** A vitest reporter: writes the tests that failed, those that passed only on a retry, and the reasons, to the file `OUTCOME_REPORT`. */
export default class OutcomeReporter {
  onTestRunEnd(modules, unhandled = []) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const broken = modules.filter((module) => module.errors().length > 0);
    const outcome = {
      failed: [
        ...tests.filter((test) => test.result().state === 'failed').map(describe),
        ...broken.map((module) => `${module.relativeModuleId}${reasons(module.errors())}`),
        ...unhandled.map((error) => `outside of tests${reasons([error])}`),
      ],
      retried: tests.filter((test) => test.diagnostic()?.flaky).map(describe),
    };
    writeFileSync(process.env.OUTCOME_REPORT, JSON.stringify(outcome));
  }
}

const describe = (test) =>
  `${test.module.relativeModuleId} > ${test.fullName}${reasons(test.result().errors ?? [])}`;

const reasons = (errors) =>
  errors
    .map(({ message, stacks = [] }) => {
      const [at] = stacks;
      return `\n  ${message}${at === undefined ? '' : ` (line ${at.line} of ${at.file})`}`;
    })
    .join('');
