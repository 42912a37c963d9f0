// Opens the home of an earlier version with this one, while a server of the earlier version still uses it.
// `npm run prove -- upgrade COMMIT` builds the earlier version from that commit of this repository, which must have an earlier
// schema. Until the earlier server ends, this version serves what needs no database and names that process otherwise. Then
// everything that either of them stored must be there.
import { execFileSync } from 'node:child_process';
import type { JsonObject } from '../../src/json.ts';
import { createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { buildEarlierVersion } from './parts/earlier-version.ts';

const rounds = 30;

class Server extends StdioPeer {
  static async start(program: string, args: readonly string[], env: Record<string, string>): Promise<Server> {
    const server = new Server([program, 'serve', ...args, '--toolsets', 'all'], { env });
    server.send(initialize());
    await server.until(({ id }) => id === 0);
    return server;
  }

  async call(name: string, args: object): Promise<JsonObject> {
    const reply = await this.request('tools/call', { name, arguments: args });
    const result = reply['result'] as JsonObject | undefined;
    if (result === undefined || result['isError'])
      throw new Error(`${name} failed: ${JSON.stringify(reply)}`);
    return (result['structuredContent'] ?? result) as JsonObject;
  }
}

const problems: string[] = [];
const check = (what: string, isRight: boolean) => {
  process.stdout.write(`${isRight ? '✓' : '✗'} ${what}\n`);
  if (!isRight) problems.push(what);
};
const namesIn = (list: unknown, key: string) =>
  new Set((list as readonly JsonObject[]).map((one) => String(one[key])));
{
  using version = buildEarlierVersion('upgrade');
  const earlier = version.program;
  const model = await startResponsesModel();
  await using bench = createWorkbench(model.config);
  const args = ['--home', bench.home, '--delegate-command', await nativeCodex()];
  const cli = (program: string, ...words: readonly string[]) =>
    execFileSync(process.execPath, [program, ...words, '--home', bench.home], {
      env: bench.env,
      encoding: 'utf8',
    });

  await using old = await Server.start(earlier, args, bench.env);
  await old.call('create_prompt', { name: 'greet', title: 'Greet', text: 'Hello {{who}}' });
  await old.call('label_prompt', { name: 'greet', label: 'production' });
  await old.call('update_prompt', { name: 'greet', text: 'Good day {{who}}' });
  await old.call('expand_prompt', { command: 'greet', arguments: { who: 'Ada' } });
  await old.call('create_user', {
    id: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    timezone: 'Europe/Berlin',
  });
  const start = new Date(Date.now() + 5 * 86_400_000).toISOString();
  await old.call('create_event', { user_id: 'ada', title: 'Board meeting', start_ts: start });
  await old.call('plan_notifications', { user_id: 'ada' });
  await old.call('delegate_run', { task: 'Say hello.', cwd: bench.project, sandbox: 'read-only' });
  cli(earlier, 'tokens', 'create', 'phone', '--scope', 'read');

  await using fresh = await Server.start(bundle, args, bench.env);
  const text = await fresh.call('expand_prompt', { command: 'greet', arguments: { who: 'Ada' } });
  check('a prompt is served beside the earlier server', JSON.stringify(text).includes('Good day Ada'));
  const failures: string[] = [];
  const accept = (call: Promise<unknown>) => call.catch((error: Error) => failures.push(error.message));
  const unnamed: string[] = [];
  const refuse = (call: Promise<unknown>) =>
    call.then(
      () => unnamed.push('accepted'),
      ({ message }: Error) =>
        message.includes(`process ${old.child.pid} (adjutant serve)`) || unnamed.push(message),
    );
  const prompt = (name: string) => ({ name, title: name, text: name });
  const event = (title: string) => ({ user_id: 'ada', title, start_ts: start });
  for (let round = 0; round < rounds; round++)
    await Promise.all([
      accept(old.call('create_prompt', prompt(`old_${round}`))),
      accept(old.call('create_event', event(`old_${round}`))),
      accept(fresh.call('create_prompt', prompt(`new_${round}`))),
      refuse(fresh.call('create_event', event(`new_${round}`))),
      refuse(fresh.call('list_users', {})),
    ]);
  check(
    `${rounds} rounds of writes that need no update were accepted (${failures[0] ?? 'all'})`,
    failures.length === 0,
  );
  check(
    `calls that need it were refused with the name of the process (${unnamed[0] ?? 'all'})`,
    unnamed.length === 0,
  );
  await old[Symbol.asyncDispose]();

  const history = await fresh.call('prompt_history', { name: 'greet' });
  check('a prompt has its history', (history['revisions'] as readonly unknown[]).length === 2);
  const shown = await fresh.call('expand_prompt', { command: 'greet@production', arguments: { who: 'Ada' } });
  check('a label names its revision', JSON.stringify(shown).includes('Hello Ada'));
  const usage = await fresh.call('prompt_usage', {});
  check('the uses of a prompt are counted', JSON.stringify(usage).includes('greet'));
  check('a person', namesIn((await fresh.call('list_users', {}))['users'], 'id').has('ada'));
  const events = await fresh.call('list_events', { user_id: 'ada' });
  check('an event', namesIn(events['events'], 'title').has('Board meeting'));
  const planned = await fresh.call('list_notifications', { user_id: 'ada' });
  check('its planned notifications', (planned['notifications'] as readonly unknown[]).length > 0);
  const runs = (await fresh.call('list_runs', {}))['runs'] as readonly JsonObject[];
  check('a run', runs.length === 1 && runs[0]!['status'] !== 'running');
  check('a token', cli(bundle, 'tokens', 'list').includes('phone'));
  const activity = await fresh.call('list_activity', { limit: 500 });
  const actions = namesIn(activity['entries'], 'action');
  check(
    'the security log',
    ['create_user', 'create_event', 'create_prompt'].every((one) => actions.has(one)),
  );

  const numbers = Array.from({ length: rounds }, (_, round) => round);
  const prompts = namesIn((await fresh.call('list_prompts', { limit: 500 }))['prompts'], 'name');
  check(
    'the prompts of both servers',
    numbers.every((one) => prompts.has(`old_${one}`) && prompts.has(`new_${one}`)),
  );
  const found = await fresh.call('list_events', { user_id: 'ada', limit: 500 });
  const titles = namesIn(found['events'], 'title');
  check(
    'the events of the earlier server',
    numbers.every((one) => titles.has(`old_${one}`)),
  );
  await model.close();
}
process.stdout.write(problems.length === 0 ? 'Nothing was lost.\n' : `${problems.length} problems\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
