import type { ToolAnswer } from '../../api.ts';
import { xml } from '../../message-page.ts';
import { wholeList } from '../../paging.ts';
import { toolAction } from '../client/tool-command.ts';
import { type Action, text, textFlag, toggle } from '../terminal/command.ts';
import { type Terminal, tableText } from '../terminal/terminal.ts';
import { call } from './prompts-action.ts';

type History = ToolAnswer<'prompt_history'>;
type Tested = ToolAnswer<'test_prompts'>;

/** Subcommands for versions: history, label, test, usage. */
export const versionActions: Readonly<Record<string, Action>> = {
  history: toolAction({
    tool: 'prompt_history',
    words: ['name'],
    defaults: wholeList,
    summary: 'Show the revisions of a prompt, or compare two',
    args: 'NAME',
    flags: { compare: text('REVISION', 'Revision, label or commit to compare with') },
    examples: ['prompts history greet', 'prompts history greet --compare 1'],
    show: (history, terminal) => history.diff ?? historyText(terminal, history),
  }),

  label: {
    summary: 'Give a revision of a prompt a label',
    args: 'NAME LABEL',
    flags: {
      revision: text('REVISION', 'Revision to label; the current one, unless given'),
      follow: toggle('Move the label to every new revision'),
      remove: toggle('Remove the label'),
      force: toggle('Move a protected label'),
    },
    examples: ['prompts label greet production', 'prompts label greet production --revision 2'],
    async run(invocation) {
      const [name = '', label = ''] = invocation.words;
      // `--force` confirms the question of the server.
      if (invocation.flags['force'] === true)
        await invocation.connect({ onRequest: async () => ({ action: 'accept', content: { move: true } }) });
      const revision = textFlag(invocation.flags, 'revision');
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
  },

  test: {
    summary: 'Run the tests of prompts',
    args: '[NAME…]',
    flags: {
      changed: toggle('Only prompts that changed since their tests passed'),
      junit: toggle('Print a JUnit report'),
    },
    examples: ['prompts test', 'prompts test greet --junit'],
    async run(invocation) {
      const { terminal, flags, words: rest } = invocation;
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
  },

  usage: toolAction({
    tool: 'prompt_usage',
    words: ['name'],
    defaults: wholeList,
    summary: 'Show how often prompts are used',
    args: '[NAME]',
    examples: ['prompts usage', 'prompts usage greet'],
    show({ counted, prompts }, terminal) {
      if (!counted) return 'Uses are not counted: prompts.usage is off.';
      if (prompts.length === 0) return 'No prompt was used in the last 30 days.';
      const rows = prompts.map(({ name, count, last_day, clients }) => [
        name,
        String(count),
        last_day,
        Object.entries(clients)
          .map(([client, uses]) => `${client} ${uses}`)
          .join(', '),
      ]);
      return tableText(terminal, ['NAME', 'USES', 'LAST', 'CLIENTS'], rows);
    },
  }),
};

function historyText(terminal: Terminal, { name, revisions, commits, labels }: History): string {
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
