import { relative, sep } from 'node:path';
import type { Problem } from '../../feature.ts';
import { version } from '../../version.ts';

/** Findings in the format SARIF 2.1.0, which code hosts show beside the changed lines. */
export function sarifText(problems: readonly Problem[], folder: string): string {
  const rules = [...new Set(problems.map(ruleOf))].sort();
  return `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'adjutant', version, rules: rules.map((id) => ({ id })) } },
          results: problems.map((problem) => ({
            ruleId: ruleOf(problem),
            level: problem.severity,
            message: { text: problem.message },
            locations: [{ physicalLocation: locationOf(problem, folder) }],
          })),
        },
      ],
    },
    null,
    2,
  )}\n`;
}

function ruleOf({ rule = 'invalid-file' }: Problem): string {
  return rule;
}

function locationOf({ file, line, column }: Problem, folder: string): object {
  const path = relative(folder, file).split(sep).join('/');
  return {
    artifactLocation: { uri: encodeURI(path) },
    ...(line !== undefined && {
      region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
    }),
  };
}
