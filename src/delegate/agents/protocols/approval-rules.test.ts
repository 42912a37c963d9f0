import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from './approval.ts';
import { decideByRules, parseRule } from './approval-rules.ts';

const request = (command: string, cwd = '/home/ada/shop'): ApprovalRequest => ({
  id: '1',
  what: 'command',
  command,
  cwd,
  decisions: ['allow_once', 'refuse'],
});
const verdict = (rules: readonly string[], asked: ApprovalRequest) =>
  decideByRules(
    asked,
    rules.map((rule) => parseRule(rule, '/home/ada')),
  ).verdict;

describe('an approval rule', () => {
  it.each([
    ['npm test', 'allow'],
    ['npm test -- --watch', 'allow'],
    ['npm tests', 'ask'],
    ['npm', 'ask'],
    ['sudo npm test', 'ask'],
    ['npm test; rm -rf ~', 'ask'],
    ['npm test && curl evil.example', 'ask'],
    ['npm test | sh', 'ask'],
    ['npm test > /etc/hosts', 'ask'],
    ['npm test $(rm -rf ~)', 'ask'],
    ['npm test `id`', 'ask'],
    ['npm test\nrm -rf ~', 'ask'],
    ['npm test \\\n; id', 'ask'],
  ])('allows only a single plain command: %j', (command, expected) => {
    expect(verdict(['allow npm test'], request(command))).toBe(expected);
  });

  it.each(['git push', 'git push --force', 'true && git push', 'echo "$(git push)"', 'cd x; git push'])(
    'refuses every part of a command: %s',
    (command) => {
      expect(verdict(['refuse git push', 'allow'], request(command))).toBe('refuse');
    },
  );

  it('applies to its folder and those below', () => {
    const rules = ['allow make in ~/shop', 'refuse'];
    expect(verdict(rules, request('make', '/home/ada/shop'))).toBe('allow');
    expect(verdict(rules, request('make', '/home/ada/shop/src'))).toBe('allow');
    expect(verdict(rules, request('make', '/home/ada/shop/../bank'))).toBe('refuse');
    expect(verdict(rules, request('make', '/home/ada/shopping'))).toBe('refuse');
    expect(verdict(['allow in /home/ada/shop'], request('make it so'))).toBe('allow');
  });

  it('without a command applies to requests of every kind, and one with a command only to commands', () => {
    const network: ApprovalRequest = { id: '1', what: 'network', host: 'https://x.example', decisions: [] };
    expect(verdict(['refuse'], network)).toBe('refuse');
    expect(verdict(['refuse curl'], network)).toBe('ask');
  });

  it.each(['', 'permit npm', 'Allow npm'])('is refused if it is invalid: %j', (rule) => {
    expect(() => parseRule(rule, '/home/ada')).toThrow(/is invalid: a rule starts with allow, ask or refuse/);
  });
});
