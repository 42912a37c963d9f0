import { startFixtures } from './endpoint.ts';
import { extensionScenarios, type Revision, required, runScenario, runSuite } from './suite.ts';

await using endpoint = await startFixtures();
for (const revision of Object.keys(required) as Revision[]) {
  const score = await runSuite(endpoint.url, revision);
  if (process.argv.includes('--verbose')) console.log(score.output);
  console.log(`${revision}: ${score.passed}/${score.required} required scenarios`);
  for (const name of score.failures) console.log(`  failed: ${name}`);
  if (score.unscored.length > 0) console.log(`  not required, failed: ${score.unscored.join(', ')}`);
  if (score.passed !== score.required) process.exitCode = 1;
}
for (const [scenario, expected] of Object.entries(extensionScenarios)) {
  const { passed, checks, warnings, output } = await runScenario(endpoint.url, scenario);
  if (process.argv.includes('--verbose')) console.log(output);
  console.log(`${scenario}: ${passed}/${checks} checks${warnings > 0 ? `, ${warnings} warnings` : ''}`);
  if (passed !== expected || checks !== expected || warnings > 0) process.exitCode = 1;
}
