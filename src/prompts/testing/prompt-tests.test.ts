import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command, openPrompts, record, resultText, structured } from '../../../test/prompts/open-prompts.ts';
import { until, write } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { lintFiles } from '../lint/lint-files.ts';
import { estimateTokens } from './test-model.ts';

const yaml = (tests: string) => command('Plan {{input}} in 3 steps', `tests:\n${tests}`);
const results = async (
  call: (tool: string, args?: JsonObject) => Promise<JsonObject>,
  args: JsonObject = {},
) =>
  (
    structured(await call('test_prompts', args))['results'] as {
      test: string;
      outcome: string;
      failures: string[];
    }[]
  ).map(({ test, outcome, failures }) => [test, outcome, ...failures]);

it.each([
  ['equals: Plan x in 3 steps', []],
  ['equals: Plan y', ['the text is not equal: line 1 is "Plan x in 3 steps", expected "Plan y"']],
  ['contains: [Plan, steps]', []],
  ['contains: day', ['the text does not contain "day"']],
  ['not_contains: steps', ['the text contains "steps"']],
  ['matches: "\\\\d steps$"', []],
  ['matches: "^steps"', ['the text does not match /^steps/']],
  ['matches: "^(\\\\w+\\\\s?)+$#"', [expect.stringMatching(/does not match|took longer/)]],
  ['max_tokens: 3', ['the text has about 5 tokens, more than 3']],
  ['min_tokens: 50', ['the text has about 5 tokens, fewer than 50']],
])('the check %s', async (check, failures) => {
  const { call } = openPrompts({
    'commands/plan.md': yaml(`  - {name: one, arguments: {input: x}, ${check}}\n`),
  });
  expect(await results(call)).toEqual([['one', failures.length > 0 ? 'failed' : 'passed', ...failures]]);
});

it('tests stand in front matter, twig.toml and JSONL, and may expect an error', async () => {
  const { call } = openPrompts({
    'commands/plan.md': yaml('  - {arguments: {input: x}, contains: x}\n'),
    'libraries/lib/twig.toml':
      '[prompts.p]\ndescription = "P"\narguments = [{ name = "x", required = true }]\n[[prompts.p.tests]]\nname = "needs x"\nfails = "Missing required argument: x"\n',
    'libraries/lib/prompts/p.md': '{{ x }}',
    'prompts/user.jsonl': record('greet', 'Hello {{who}}', {
      tests: [{ arguments: { who: 'Ann' }, equals: 'Hello Ann' }],
    }),
  });
  expect(await results(call)).toEqual([
    ['test 1', 'passed'],
    ['needs x', 'passed'],
    ['test 1', 'passed'],
  ]);
});

it('a prompt that cannot be read fails, and all others are tested', async () => {
  const { call } = openPrompts({
    'commands/plan.md': yaml('  - {arguments: {input: x}, contains: x}\n'),
    'commands/list.md': yaml('  - {arguments: {input: y}, contains: y}\n'),
  });
  expect(await results(call, { names: ['plan', 'nobody', 'list'] })).toEqual([
    ['prompt', 'failed', 'Prompt not found: nobody'],
    ['test 1', 'passed'],
    ['test 1', 'passed'],
  ]);
});

describe('a test with a mistake fails, and its prompt is served', () => {
  const reasons: readonly (readonly [string, string])[] = [
    ['- {arguments: {input: x}, contain: x}', 'unknown field contain; use name, arguments'],
    ['- {arguments: {input: x}, matches: "["}', 'matches: [ is not a regular expression'],
    ['- {arguments: {input: x}}', 'checks nothing; add equals'],
    ['- {arguments: {input: x}, contains: []}', 'checks nothing; add equals'],
    ['- {arguments: {input: x}, answer: {}}', 'answer checks nothing; add equals'],
    ['- {arguments: {input: x}, max_tokens: few}', 'max_tokens must be a whole number'],
    ['- contains', 'must have fields such as contains'],
    ['  contains: x', 'tests must be a list'],
  ];

  it.each(reasons)('in a command: %s', async (test, reason) => {
    const { call } = openPrompts({ 'commands/plan.md': yaml(`  ${test}\n`) });
    expect(resultText(await call('expand_prompt', { command: 'plan', input: 'x' }))).toBe(
      'Plan x in 3 steps',
    );
    expect(structured(await call('test_prompts'))).toMatchObject({ passed: 0, failed: 1 });
    expect(await results(call)).toEqual([['test 1', 'failed', expect.stringContaining(reason)]]);
    const { problems } = structured(await call('lint_prompts')) as { problems: JsonObject[] };
    expect(problems).toMatchObject([
      { rule: 'test-failed', prompts: ['plan'], message: expect.stringContaining(reason) },
    ]);
  });

  it('in a library and in JSONL, beside tests that pass', async () => {
    const { call } = openPrompts({
      'libraries/lib/twig.toml':
        '[prompts.p]\ndescription = "P"\n[[prompts.p.tests]]\nname = "typo"\ncontain = "P"\n[[prompts.p.tests]]\ncontains = "P"\n',
      'libraries/lib/prompts/p.md': 'P',
      'prompts/user.jsonl': record('greet', 'Hello', { tests: [{ matches: '(' }, { equals: 'Hello' }] }),
    });
    expect(await results(call)).toEqual([
      ['test 1', 'failed', expect.stringContaining('is not a regular expression')],
      ['typo', 'failed', expect.stringContaining('unknown field contain')],
      ['test 2', 'passed'],
      ['test 2', 'passed'],
    ]);
  });

  it('in a file that is only checked', async () => {
    const text = yaml('  - {contain: x}\n');
    const { problems } = await lintFiles([{ path: 'plan.md', text }]);
    expect(problems).toMatchObject([
      { rule: 'test-failed', message: expect.stringContaining('test 1 failed: unknown field contain') },
    ]);
  });
});

it('a failing test marks the prompt when its file changes', async () => {
  const { home, call } = openPrompts({
    'commands/plan.md': yaml('  - {arguments: {input: x}, contains: steps}\n'),
  });
  const failures = async () =>
    (structured(await call('lint_prompts'))['problems'] as JsonObject[]).filter(
      ({ rule }) => rule === 'test-failed',
    );
  expect(await failures()).toEqual([]);
  write(home, {
    'commands/plan.md': command('Plan {{input}}', 'tests:\n  - {arguments: {input: x}, contains: steps}\n'),
  });
  expect(await failures()).toMatchObject([
    { prompts: ['plan'], severity: 'error', message: 'test 1 failed: the text does not contain "steps"' },
  ]);
});

it('tests with changed run only after a change or a failure', async () => {
  const { home, call } = openPrompts({
    'commands/a.md': yaml('  - {arguments: {input: x}, contains: Plan}\n'),
    'commands/b.md': yaml('  - {arguments: {input: x}, contains: never}\n'),
  });
  expect(await results(call, { changed: true })).toHaveLength(2);
  expect(await results(call, { changed: true })).toHaveLength(1);
  write(home, {
    'commands/a.md': command('Plan {{input}} anew', 'tests:\n  - {arguments: {input: x}, contains: Plan}\n'),
  });
  await until(async () => (await results(call, { changed: true })).length === 2);
});

it('with a model, the answer is checked: text, JSON Schema and a rubric', async () => {
  const asked: JsonObject[] = [];
  const model = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const sent = JSON.parse(body) as { messages: { role: string; content: string }[] };
      asked.push(sent as unknown as JsonObject);
      const isJudge = sent.messages[0]!.role === 'system';
      const text = isJudge
        ? JSON.stringify({
            pass: !sent.messages[1]!.content.includes('must rhyme'),
            reason: 'it does not rhyme',
          })
        : '```json\n{"steps": ["one", "two"]}\n```';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: { content: text } }] }));
    });
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void model.close());
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const answer = (checks: string) => `  - {arguments: {input: x}, answer: {${checks}}}\n`;
  const files = {
    'commands/plan.md': yaml(
      [
        'contains: steps',
        'contains: nine',
        'schema: {type: object, required: [steps], properties: {steps: {type: array, minItems: 2}}}',
        'schema: {type: object, required: [days]}',
        'rubric: it has steps',
        'rubric: it must rhyme',
      ]
        .map(answer)
        .join(''),
    ),
  };
  const withModel = openPrompts(files, {}, {}, 'tester', { model: { url, model: 'm', timeoutMs: 5000 } });
  expect((await results(withModel.call)).map(([, outcome]) => outcome).sort()).toEqual([
    ...Array(3).fill('failed'),
    ...Array(3).fill('passed'),
  ]);
  expect(asked[0]).toMatchObject({ model: 'm', messages: [{ role: 'user', content: 'Plan x in 3 steps' }] });
  const without = openPrompts(files);
  expect((await results(without.call)).map(([, outcome]) => outcome)).toEqual(Array(6).fill('skipped'));
});

it('a model that fails marks only the tests that need its answer', async () => {
  const files = {
    'commands/plan.md': yaml(
      '  - {name: text, arguments: {input: x}, contains: x}\n  - {name: answer, arguments: {input: x}, answer: {contains: y}}\n',
    ),
  };
  const { call } = openPrompts(files, {}, {}, 'tester', {
    model: { url: 'http://127.0.0.1:9/v1', model: 'm', timeoutMs: 5000 },
  });
  expect(await results(call)).toEqual([
    ['answer', 'failed', expect.stringContaining('gave no answer')],
    ['text', 'passed'],
  ]);
});

it.each([
  ['Write a summary of this article in five sentences.', 10],
  ['请把下面的文章总结成五句话，并解释每个要点的重要性。', 18],
  ['const answer = items.map((item) => item.price * 1.19);', 17],
])('the estimate of tokens is near the count of a real tokenizer: %s', (text, tokens) => {
  expect(Math.abs(estimateTokens(text) - tokens) / tokens).toBeLessThan(0.3);
});
