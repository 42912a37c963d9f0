import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { putFinishedRun } from '../delegate/finished-run.ts';
import { callTool } from './calendar-client.ts';
import type { PageServer } from './page-server.ts';

export const time = '2026-06-03T09:20:00Z';
/** Environment of a server whose clock stands still. */
export const fixedTime = {
  ADJUTANT_DELIVERY_WITH_SERVER: 'false',
  FIXED_TIME: time,
  NODE_OPTIONS: `--require=${resolve('test/page/fixed-clock.cjs')}`,
};

/** Makes what the views show: the sample data, the prompt `greet`, and finished runs, one of them with changes. */
export async function putPictureData(server: PageServer): Promise<void> {
  await callTool(server, 'load_demo', {});
  await callTool(server, 'create_routine', {
    ...{ name: 'Morning brief', task: ':demo-research the harbour', cwd: server.home },
    when: 'every weekday at 07:00',
  });
  const { users } = await callTool<{ users: { id: string }[] }>(server, 'list_users', {});
  await callTool(server, 'test_notification', { user_id: users[0]!.id });
  const text = 'Say hello to {{name}} in {{language}}.\nKeep it short.';
  for (const [tool, greeting] of [
    ['create_prompt', text],
    ['update_prompt', `${text} Add a wish for the day.`],
  ] as const)
    await callTool(server, tool, {
      ...{ name: 'greet', title: 'Greet somebody', tags: ['social'] },
      messages: [{ role: 'user', content: { type: 'text', text: greeting } }],
    });
  const runs = join(server.home, 'runs');
  // The run that the sample data starts takes place in a process with a clock of its own.
  for (const run of readdirSync(runs)) {
    const request = join(runs, run, 'request.json');
    if (existsSync(request) && !readFileSync(request, 'utf8').includes('Sample'))
      rmSync(join(runs, run), { recursive: true });
  }
  const outbox = join(server.home, 'outbox');
  for (const file of readdirSync(outbox)) utimesSync(join(outbox, file), new Date(time), new Date(time));
  // Runs are numbered by the minutes since the start of the year.
  const lastRun = 150 * 1440 + 480;
  for (let days = 1; days < 12; days++) putFinishedRun(runs, lastRun - days * 1440 * (1 + (days % 2)));
  writeFileSync(
    join(runs, putFinishedRun(runs, lastRun), 'changes.patch'),
    [
      ...['diff --git a/tides.js b/tides.js', '--- a/tides.js', '+++ b/tides.js', '@@ -1,3 +1,4 @@'],
      ...[
        ' export function next(now) {',
        '-  return [6, 18].find((hour) => hour > now);',
        '+  const tides = read();',
      ],
      ...['+  return tides.find((hour) => hour > now) ?? tides[0];', ' }', ''],
    ].join('\n'),
  );
  countRuns(join(server.home, 'runs.sqlite'));
}

/** Adds runs to the statistics. */
function countRuns(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const insert = database.prepare(
    `INSERT INTO spending (directory, run_id, tool, agent, model, cwd, started_at, status, duration_ms, input_tokens, output_tokens, cost_usd)
     VALUES (?, ?, 'delegate_run', ?, ?, '/home/ada/harbour', ?, ?, ?, ?, ?, ?)`,
  );
  for (let run = 0; run < 24; run++) {
    const day = String(3 + ((run * 5) % 28)).padStart(2, '0');
    const [agent, model] = run % 3 === 0 ? ['claude', 'opus'] : ['codex', 'gpt-5'];
    const status = run % 5 === 0 ? 'failed' : 'completed';
    const tokens = 2000 + ((run * 997) % 9000);
    const id = `run-${run}`;
    insert.run(
      id,
      id,
      agent,
      model,
      `2026-05-${day}T10:00:00.000Z`,
      status,
      tokens * 9,
      tokens,
      tokens / 10,
      run / 20,
    );
  }
  database.close();
}
