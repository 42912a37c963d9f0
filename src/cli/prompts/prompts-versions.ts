import type { ToolAnswer } from '../../api.ts';
import { wholeList } from '../../paging.ts';
import { UsageError } from '../terminal/command.ts';
import { tableText } from '../terminal/terminal.ts';
import { type Action, call, type Invocation, nameOf, textFlag } from './prompts-action.ts';

type History = ToolAnswer<'prompt_history'>;
type Tested = ToolAnswer<'test_prompts'>;

/** Subcommands for versions: history, label, test, usage. */
export const versionActions: Readonly<Record<string, Action>> = {
  async history(invocation) {
    const name = nameOf(invocation, 'history');
    const compare = textFlag(invocation, 'compare');
    const result = await call(invocation, 'prompt_history', {
      name,
      ...(compare !== undefined && { compare }),
      ...wholeList,
    });
    invocation.terminal.answer(result, () => result.diff ?? historyText(invocation, result));
    return 0;
  },

  async label(invocation) {
    const [name, label, ...more] = invocation.rest;
    if (name === undefined || label === undefined || more.length > 0)
      throw new UsageError('prompts label needs a name and a label: adjutant prompts label NAME LABEL');
    const revision = textFlag(invocation, 'revision');
    const done = await call(invocation, 'label_prompt', {
      name,
      label,
      ...(revision !== undefined && { revision }),
      ...(invocation.flags['follow'] === true && { follow: true }),
      ...(invocation.flags['remove'] === true && { remove: true }),
    });
    invocation.terminal.report(done, done.message);
    return 0;
  },

  async test(invocation) {
    const { terminal, flags, rest } = invocation;
    const result = await call(invocation, 'test_prompts', {
      ...(rest.length > 0 && { names: [...rest] }),
      ...(flags['changed'] === true && { changed: true }),
      ...wholeList,
    });
    terminal.answer(result, () => (flags['junit'] === true ? junitText(result) : resultsText(result)));
    if (flags['junit'] !== true)
      terminal.hint(`${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped\n`);
    return result.failed > 0 ? 1 : 0;
  },

  async usage(invocation) {
    const [name, ...more] = invocation.rest;
    if (more.length > 0) throw new UsageError('prompts usage takes at most one name');
    const result = await call(invocation, 'prompt_usage', {
      ...(name !== undefined && { name }),
      ...wholeList,
    });
    invocation.terminal.answer(result, () => {
      if (!result.counted) return 'Uses are not counted: prompts.usage is off.';
      if (result.prompts.length === 0) return 'No prompt was used in the last 30 days.';
      const rows = result.prompts.map(({ name: prompt, count, last_day, clients }) => [
        prompt,
        String(count),
        last_day,
        Object.entries(clients)
          .map(([client, uses]) => `${client} ${uses}`)
          .join(', '),
      ]);
      return tableText(invocation.terminal, ['NAME', 'USES', 'LAST', 'CLIENTS'], rows);
    });
    return 0;
  },
};

function historyText({ terminal }: Invocation, { name, revisions, commits, labels }: History): string {
  const rows = [
    ...revisions.map(({ revision, action, time, client, restored }) => [
      `${name}@${revision}`,
      time,
      restored === undefined ? action : `${action} of ${restored}`,
      `${client.name ?? ''} ${client.version ?? ''}`,
    ]),
    ...commits.toReversed().map(({ commit, time, author, subject }) => [commit, time, subject, author]),
    ...labels.map(({ label, action, revision, time, client }) => [
      `${name}@${label}`,
      time,
      action === 'set' ? `label of ${revision}` : 'label removed',
      `${client.name ?? ''} ${client.version ?? ''}`,
    ]),
  ];
  return tableText(terminal, ['REVISION', 'TIME', 'ACTION', 'CLIENT'], rows);
}

function resultsText({ results }: Tested): string {
  return results
    .map(({ prompt, test, outcome, failures }) =>
      [`${outcome} ${prompt}: ${test}`, ...failures.map((failure) => `  ${failure}`), ''].join('\n'),
    )
    .join('');
}

/** The report format that most CI systems read. */
function junitText({ results, failed, skipped }: Tested): string {
  const cases = results.map(({ prompt, test, outcome, failures }) => {
    const open = `  <testcase classname="${xml(prompt)}" name="${xml(test)}"`;
    if (outcome === 'passed') return `${open}/>`;
    const inner =
      outcome === 'skipped'
        ? '<skipped/>'
        : `<failure message="${xml(failures[0] ?? '')}">${xml(failures.join('\n'))}</failure>`;
    return `${open}>${inner}</testcase>`;
  });
  const head = `<testsuite name="adjutant prompts" tests="${results.length}" failures="${failed}" skipped="${skipped}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...cases, '</testsuite>', ''].join('\n');
}

/** XML 1.0 has no way to write most control characters. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
