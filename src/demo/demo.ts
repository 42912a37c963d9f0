import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Context, defineTool, type Feature } from '../feature.ts';
import { isObject } from '../json.ts';
import { commandFiles, events, libraryFiles, mark, question, user } from './samples.ts';

export interface DemoOptions {
  readonly commandsDir: string;
  readonly librariesDir: string;
  /** Where the demonstration notes which runs are its own. */
  readonly stateFile: string;
  /** Calls a tool of another feature, as a client would; `undefined` where there is no such tool. */
  call(tool: string, args: object, context: Context): Promise<object | undefined>;
}

const report = {
  type: 'object',
  properties: { prompts: { type: 'integer' }, events: { type: 'integer' }, runs: { type: 'integer' } },
  required: ['prompts', 'events', 'runs'],
} as const;

/** Sample data for every feature, without an account or a key, and its removal. */
export function createDemo(options: DemoOptions): Feature {
  return {
    name: 'demo',
    tools: [
      defineTool({
        name: 'load_demo',
        title: 'Load sample data',
        description:
          'Puts in sample prompts, a person with a week of events and planned notifications, and a run. remove_demo takes all of it out again.',
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
    ],
  };
}

async function load(options: DemoOptions, context: Context) {
  for (const [file, text] of sampleFiles(options)) {
    await disk.mkdir(dirname(file), { recursive: true });
    await disk.writeFile(file, text, { flag: 'wx' });
  }
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
  await disk.mkdir(dirname(options.stateFile), { recursive: true });
  await disk.writeFile(options.stateFile, JSON.stringify({ runs }));
  return { prompts: Object.keys(commandFiles).length + 1, events: events.length, runs: runs.length };
}

async function remove(options: DemoOptions, context: Context) {
  let prompts = 0;
  for (const [file] of sampleFiles(options)) {
    if (file.endsWith('.md') && (await exists(file))) prompts += 1;
    await disk.rm(file, { force: true });
  }
  await disk.rm(join(options.librariesDir, mark), { recursive: true, force: true });
  const listed = await options.call('listUsers', {}, context);
  const known =
    isObject(listed) && Array.isArray(listed['users']) && listed['users'].some(({ id }) => id === user.id);
  if (known) await options.call('deleteUser', { user_id: user.id }, context);
  const runs = await ownRuns(options.stateFile);
  for (const folder of runs) await disk.rm(folder, { recursive: true, force: true });
  await disk.rm(options.stateFile, { force: true });
  return { prompts, events: known ? events.length : 0, runs: runs.length };
}

function sampleFiles({ commandsDir, librariesDir }: DemoOptions): readonly (readonly [string, string])[] {
  return [
    ...Object.entries(commandFiles).map(([name, text]) => [join(commandsDir, name), text] as const),
    ...Object.entries(libraryFiles).map(([name, text]) => [join(librariesDir, mark, name), text] as const),
  ];
}

async function ownRuns(file: string): Promise<readonly string[]> {
  try {
    return (JSON.parse(await disk.readFile(file, 'utf8')) as { runs: string[] }).runs;
  } catch {
    return [];
  }
}

async function exists(file: string): Promise<boolean> {
  return disk.access(file).then(
    () => true,
    () => false,
  );
}

function today(): [number, number, number] {
  const now = new Date();
  return [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
}
