import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { httpClient } from '../identity/http-client.ts';
import { type OAuthProgram, startOAuthProgram } from '../identity/oauth-program.ts';
import { bundle, initialize, Program } from '../program.ts';
import { plantTree } from '../tree.ts';

let started: OAuthProgram;
beforeAll(async () => {
  started = await startOAuthProgram();
});
afterAll(() => started[Symbol.asyncDispose]());

/** Runs the program with the home folder of the server. */
function adjutant(...args: readonly string[]): JsonObject {
  const argv = [bundle, ...args, '--json', '--home', started.program.home];
  return JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' })) as JsonObject;
}

function audit(...args: readonly string[]): readonly JsonObject[] {
  return adjutant('audit', ...args)['entries'] as readonly JsonObject[];
}

const call = (name: string, args: JsonObject) => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('adjutant audit', () => {
  it('shows who changed what, with what changed in people and rules', async () => {
    adjutant('users', 'create', '--id', 'ada', '--name', 'Ada', '--email', 'ada@example.com');
    const token = String(adjutant('tokens', 'create', 'ada', '--scope', 'calendar:ada')['token']);
    const { post } = httpClient(started.url, token);
    await post(call('update_user', { user_id: 'ada', locale: 'de', ntfy_topic: 'secret-topic' }));
    const rule = { user_id: 'ada', rule_type: 'travel_buffer', rule_json: { minutes: 5 } };
    await post(call('call_tool', { name: 'set_rule', arguments: rule }));
    const oauth = await started.server.machineToken('prompts:write');
    await httpClient(started.url, oauth).post(
      call('create_prompt', { name: 'mine', title: 'M', text: 'private text' }),
    );
    await expect
      .poll(() => audit('--outcome', 'done'))
      .toMatchObject([
        { actor: 'oauth machine', oauth_client: 'machine', action: 'create_prompt', target: 'name=mine' },
        {
          actor: 'token ada',
          action: 'set_rule',
          target: expect.stringMatching(/^user_id=ada id=/),
          after: { rule_json: { minutes: 5 } },
        },
        {
          actor: 'token ada',
          action: 'update_user',
          target: 'user_id=ada',
          before: {},
          after: { locale: 'de', ntfy_topic: '(hidden)' },
        },
        { actor: 'owner', action: 'tokens create', target: 'id=ada' },
        { actor: 'owner', client: 'adjutant', action: 'create_user', target: expect.stringContaining('ada') },
      ]);
    expect(audit('--actor', 'token ada', '--action', 'set_rule')).toHaveLength(1);
  });

  it('shows the titles of events, which the log itself does not contain', async () => {
    adjutant('users', 'create', '--id', 'eve', '--name', 'Eve');
    adjutant(
      'events',
      'create',
      'eve',
      '--id',
      'board',
      '--title',
      'Board meeting',
      '--start',
      '2030-03-01T09:00',
    );
    adjutant('events', 'update', 'board', '--location', 'Room 1');
    await expect
      .poll(() => audit('--action', 'update_event'))
      .toMatchObject([{ target: expect.stringContaining('id=board'), title: 'Board meeting' }]);
    expect(audit('--action', 'create_event')).toMatchObject([{ title: 'Board meeting' }]);
  });

  it('shows what was denied, and to whom', async () => {
    const token = String(adjutant('tokens', 'create', 'bob', '--scope', 'calendar:bob')['token']);
    const { post, modern } = httpClient(started.url, token);
    await post(call('create_prompt', { name: 'x', title: 'X', text: 'x' }));
    await post(call('call_tool', { name: 'clean_runs', arguments: {} }));
    await post(call('get_user', { user_id: 'ada' }));
    await modern()('resources/read', { uri: 'resources://users/ada' });
    await httpClient(started.url, 'not-a-token').post({ method: 'ping' });
    await httpClient(started.url, await started.server.machineToken('read')).post(call('list_users', {}));
    await expect
      .poll(() =>
        audit('--outcome', 'denied')
          .map(({ actor, action }) => `${actor}: ${action}`)
          .toSorted(),
      )
      .toEqual([
        'nobody: POST /mcp',
        'oauth machine: list_users',
        'token bob: clean_runs',
        'token bob: create_prompt',
        'token bob: get_user',
        'token bob: resources/read',
      ]);
    expect(audit('--actor', 'nobody')).toMatchObject([{ address: '127.0.0.1' }]);
  });

  it('shows denied calls of a token beside many requests without one', async () => {
    for (let index = 0; index < 60; index++)
      await fetch(`${started.url}/mcp/path${'x'.repeat(index)}`, { method: 'POST', body: '{}' });
    const token = String(adjutant('tokens', 'create', 'eve', '--scope', 'calendar:eve')['token']);
    await httpClient(started.url, token).post(call('create_prompt', { name: 'x', title: 'X', text: 'x' }));
    await expect.poll(() => audit('--actor', 'token eve')).toMatchObject([{ action: 'create_prompt' }]);
  });

  it('keeps no tokens and no private texts', () => {
    const rows = ['adjutant.db', 'local.db'].flatMap((name) => {
      const database = new DatabaseSync(join(started.program.home, name), { readOnly: true });
      const found = database.prepare('select entry from activity').all();
      database.close();
      return found;
    });
    expect(rows.length).toBeGreaterThan(10);
    expect(JSON.stringify(rows)).not.toMatch(/adjutant_|not-a-token|private text|secret-topic|eyJ/);
  });

  it('is for the owner and administrators only', async () => {
    const token = String(
      adjutant('tokens', 'create', 'cy', '--scope', 'calendar:*,prompts:write,delegate:workspace-write')[
        'token'
      ],
    );
    const answer = await httpClient(started.url, token).modern()('tools/call', {
      name: 'list_activity',
      arguments: {},
    });
    expect(JSON.stringify(answer)).toContain('scope admin');
  });
});

it('the security log has changes of files that are made at the command line, but not their values', () => {
  const home = plantTree({ 'old/greet.md': '---\ndescription: Greets\n---\nSay hello to {{input}}.\n' });
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [bundle, ...args, '--home', home], { encoding: 'utf8', cwd: home });
  for (const line of [
    'config set delivery.webhook_secret swordfish',
    'config unset delivery.webhook_secret',
    'config set no.setting 1',
    'prompts add old/greet.md --dry-run',
    'prompts add old/greet.md',
    'tokens create phone --scope read',
    'tokens revoke phone',
    'tokens rotate-owner',
    'calendars sign-in ada@example.com',
  ])
    run(...line.split(' '));
  const { entries } = JSON.parse(run('audit', '--json').stdout) as { entries: readonly JsonObject[] };
  expect(entries.map(({ action, target, outcome }) => [action, target, outcome]).toReversed()).toEqual([
    ['config set', 'id=delivery.webhook_secret', 'done'],
    ['config unset', 'id=delivery.webhook_secret', 'done'],
    ['config set', 'id=no.setting', 'failed'],
    ['prompts add', 'id=old/greet.md', 'done'],
    ['tokens create', 'id=phone', 'done'],
    ['tokens revoke', 'id=phone', 'done'],
    ['tokens rotate-owner', undefined, 'done'],
    ['calendars sign-in', 'id=ada@example.com', 'failed'],
  ]);
  expect(run('audit', 'export').stdout).not.toContain('swordfish');
  for (const line of [
    'prompts add old/greet.md',
    'tokens create pad --scope read',
    'calendars sign-in ada@example.com',
  ])
    expect(run(...line.split(' '), '--read-only').stderr).toContain('read_only is set');
});

it('the security log has an entry for every acknowledged change when the server is killed', async () => {
  await using program = new Program(['serve', '--toolsets', 'all']);
  program.send(initialize());
  const person = { id: 'ada', name: 'Ada', email: 'ada@example.com' };
  await program.request('tools/call', { name: 'create_user', arguments: person });
  const changes = Array.from({ length: 60 }, (_, index) =>
    index % 2 === 0
      ? { name: 'update_user', arguments: { user_id: 'ada', name: `Ada ${index}` } }
      : { name: 'delete_prompt', arguments: { name: `missing_${index}` } },
  );
  await Promise.all(changes.map((change) => program.request('tools/call', change)));
  program.child.kill('SIGKILL');
  const listed = execFileSync(
    process.execPath,
    [bundle, 'audit', '--json', '--limit', '500', '--home', program.home],
    { encoding: 'utf8' },
  );
  const { entries } = JSON.parse(listed) as { entries: readonly { action: string }[] };
  const count = (name: string) => entries.filter(({ action }) => action === name).length;
  expect([count('create_user'), count('update_user'), count('delete_prompt')]).toEqual([1, 30, 30]);
  const run = (word: string) =>
    spawnSync(process.execPath, [bundle, 'audit', word, '--home', program.home], { encoding: 'utf8' });
  expect(run('verify')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('entries, none is missing'),
  });
  const exported = run('export').stdout.trim().split('\n');
  expect(exported.map((row) => JSON.parse(row).number).toSorted((a, b) => a - b)[0]).toBe(1);
  const database = new DatabaseSync(join(program.home, 'adjutant.db'));
  database.exec('delete from activity where number = 3');
  database.close();
  expect(run('verify')).toMatchObject({ status: 1, stdout: expect.stringContaining('entry 3 is missing') });
});
