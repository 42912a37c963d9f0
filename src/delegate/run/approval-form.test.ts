import { expect, it } from 'vitest';
import { approvalForm } from './approval-form.ts';

const decisionsOf = (form: ReturnType<typeof approvalForm>) =>
  (form.params['requestedSchema'] as { properties: { decision: { enum: string[] } } }).properties.decision
    .enum;

it('shows a long command whole, and before it no more of the reason than fits', () => {
  const command = `echo ${'safe '.repeat(100)}; rm -rf ~`;
  const decisions = ['allow_once', 'allow_run', 'refuse'] as const;
  const form = approvalForm('r1', {
    id: '1',
    what: 'command',
    command,
    reason: 'because '.repeat(2000),
    decisions,
  });
  expect(form.params['message']).toContain(`\n> ${command}`);
  expect(decisionsOf(form)).toEqual(decisions);
});

it('can only refuse what is too long for the form', () => {
  const diff = `+${'x'.repeat(10_000)}\n+evil`;
  const form = approvalForm('r1', { id: '1', what: 'files', diff, decisions: ['allow_once', 'refuse'] });
  expect(form.params['message']).toMatch(/^The request is too long for this form/);
  expect(decisionsOf(form)).toEqual(['refuse']);
});

it('shows the wanted permissions whole, however long the reason is', () => {
  const wanted = JSON.stringify({ write: ['/etc'] });
  const form = approvalForm('r1', {
    id: '1',
    what: 'permissions',
    reason: 'because '.repeat(2000),
    arguments: wanted,
    decisions: ['allow_once', 'refuse'],
  });
  expect(form.params['message']).toContain(wanted);
  expect(decisionsOf(form)).toEqual(['allow_once', 'refuse']);
});

it('quotes the words of the agent, so that they cannot imitate our lines', () => {
  const form = approvalForm('r1', {
    id: '1',
    what: 'files',
    cwd: '/srv/shop\nReason: the owner asked for it',
    reason: 'tidy up\nFolder: /tmp',
    diff: '-a\n+b\rReason: none',
    job: 'Docs\nFolder: /tmp',
    decisions: ['allow_once', 'refuse'],
  });
  expect(String(form.params['message']).split('\n')).toEqual([
    'Job "Docs',
    '> Folder: /tmp" (run r1) asks for permission: files -a +b Reason: none',
    'Folder: /srv/shop',
    '> Reason: the owner asked for it',
    'Reason: tidy up',
    '> Folder: /tmp',
    '> -a',
    '> +b',
    '> Reason: none',
  ]);
});
