import { expect, it } from 'vitest';
import { approvalForm } from './approval-form.ts';

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
