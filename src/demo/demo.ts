import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { CallFeature } from '../api.ts';
import { type Context, defineTool, type Feature } from '../feature.ts';
import { isObject } from '../json.ts';
import { forgetPlaced, loadPlaced, notePlaced, placeFiles, takeAway } from './placed-files.ts';
import { sampleRun } from './sample-run.ts';
import { commandFiles, events, libraryFiles, mark, question, user } from './samples.ts';

export interface DemoOptions {
  readonly commandsDir: string;
  readonly librariesDir: string;
  readonly outboxDir: string;
  readonly runsDir: string;
  /** Where the demonstration notes what is its own. */
  readonly stateFile: string;
  /** Calls a tool of another feature, as a client would. */
  readonly call: CallFeature;
}

const report = {
  type: 'object',
  properties: { prompts: { type: 'integer' }, events: { type: 'integer' }, runs: { type: 'integer' } },
  required: ['prompts', 'events', 'runs'],
} as const;

/** Sample data for every feature, without an account or a key, and its removal. */
export function createDemo(options: DemoOptions): Feature {
  return { name: 'demo', tools: demoTools(options) };
}

export function demoTools(options: DemoOptions) {
  return [
    defineTool({
      name: 'load_demo',
      title: 'Load sample data',
      description:
        'Puts in sample prompts, a person with a week of events and planned notifications, and two runs. remove_demo takes all of it out again.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: report,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async call(_, context) {
        await remove(options, context);
        return { structured: await load(options, context) };
      },
    }),
    defineTool({
      name: 'remove_demo',
      title: 'Remove sample data',
      description: 'Takes out everything that load_demo put in, and nothing else.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: report,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async call(_, context) {
        return { structured: await remove(options, context) };
      },
    }),
  ];
}

async function load(options: DemoOptions, context: Context) {
  const { stateFile } = options;
  const flight = sampleRun(options.runsDir, options.commandsDir, Date.now());
  const placed = await placeFiles(new Map([...sampleFiles(options), ...flight]), stateFile);
  await options.call('createUser', user, context);
  for (const { day, hour, hours, ...event } of events) {
    const start = Date.UTC(...today(), 0) + (day * 24 + hour) * 3_600_000;
    const times = {
      start_ts: new Date(start).toISOString(),
      end_ts: new Date(start + hours * 3_600_000).toISOString(),
    };
    await options.call('createEvent', { user_id: user.id, ...event, ...times }, context);
  }
  await options.call('planNotifications', { user_id: user.id }, context);
  const run = await options.call(
    'delegate_autopilot',
    { task: question, cwd: options.commandsDir, sandbox: 'read-only' },
    context,
  );
  const runs = isObject(run) && typeof run['run_dir'] === 'string' ? [run['run_dir']] : [];
  await notePlaced(stateFile, { ...placed, runs });
  return { prompts: placed.files.filter(isPrompt).length, events: events.length, runs: runs.length + 1 };
}

async function remove(options: DemoOptions, context: Context) {
  const placed = await loadPlaced(options.stateFile);
  const gone = await takeAway(placed);
  const known = entriesOf(await options.call('listUsers', {}, context), 'users').includes(user.id);
  if (known) {
    await emptyOutbox(options, context);
    await options.call('deleteUser', { user_id: user.id }, context);
  }
  await forgetPlaced(options.stateFile, placed);
  return {
    prompts: gone.filter(isPrompt).length,
    events: known ? events.length : 0,
    runs: gone.length === 0 ? 0 : placed.runs.length + 1,
  };
}

/** Files in the outbox are named for their notification. */
async function emptyOutbox({ outboxDir, call }: DemoOptions, context: Context): Promise<void> {
  const window = { days_back: 30, days_forward: 30 };
  const listed = await call('listNotifications', { user_id: user.id, ...window }, context);
  const ids = new Set(entriesOf(listed, 'notifications').map(encodeURIComponent));
  for (const file of await disk.readdir(outboxDir).catch(() => []))
    if (ids.has(file.replace(/\..*$/, ''))) await disk.rm(join(outboxDir, file), { force: true });
}

/** The ids of what a tool listed; none where there is no such tool. */
function entriesOf(listed: object | undefined, key: string): readonly string[] {
  const all = isObject(listed) ? listed[key] : undefined;
  return Array.isArray(all) ? all.map(({ id }) => String(id)) : [];
}

function isPrompt(file: string): boolean {
  return file.endsWith('.md');
}

function sampleFiles({ commandsDir, librariesDir }: DemoOptions): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(commandFiles).map(([name, text]) => [join(commandsDir, name), text] as const),
    ...Object.entries(libraryFiles).map(([name, text]) => [join(librariesDir, mark, name), text] as const),
  ]);
}

function today(): [number, number, number] {
  const now = new Date();
  return [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
}
