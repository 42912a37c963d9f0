import type { Feature } from '../feature.ts';
import type { CallFeature } from '../feature-api.ts';
import { defineTool, hints } from '../tool.ts';
import type { StoredData } from './sample-person.ts';

export interface DemoOptions {
  readonly commandsDir: string;
  readonly librariesDir: string;
  readonly outboxDir: string;
  readonly runsDir: string;
  /** File that records what the demo created. */
  readonly stateFile: string;
  /** Calls a tool of another feature, as a client would. */
  readonly call: CallFeature;
  /** Ids of everything that is stored for a user. */
  storedData(userId: string): Promise<StoredData>;
}

const report = {
  type: 'object',
  properties: {
    prompts: { type: 'integer' },
    events: { type: 'integer' },
    runs: { type: 'integer' },
    kept: { type: 'string', description: 'Sample data that was not removed, and why' },
  },
  required: ['prompts', 'events', 'runs'],
} as const;

/** Loads and removes sample data for every feature. Needs no account or API key. */
export function createDemo(options: DemoOptions): Feature {
  return { name: 'demo', tools: demoTools(options) };
}

export function demoTools(options: DemoOptions) {
  let last: Promise<unknown> = Promise.resolve();
  /** Loading and removing change the same files, so calls take turns. */
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
  return [
    defineTool({
      name: 'load_demo',
      toolsets: ['admin'],
      scope: 'admin',
      inViews: true,
      uses: [
        'create_user',
        'create_event',
        'plan_notifications',
        'create_prompt',
        'delegate_autopilot',
        'delete_user',
        'delete_event',
        'cancel_notification',
        'delete_prompt',
      ],
      title: 'Load sample data',
      description:
        'Adds sample data to try Adjutant out: prompts, a person with a week of events, and runs. remove_demo removes it.',
      searchHint: 'sample example try',
      phrases:
        'demo example examples sample data try tour show what it can do how this works made-up fake dummy play around first fill with test pretend explore demonstration experiment get started newcomer see in action learn trial toy beginner introduction',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: report,
      annotations: hints.sets,
      async call(_, context) {
        const { load, remove } = await import('./sample-data.ts');
        const reload = () => remove(options, context).then(() => load(options, context));
        return { structured: await inTurn(reload) };
      },
    }),
    defineTool({
      name: 'remove_demo',
      toolsets: ['admin'],
      scope: 'admin',
      inViews: true,
      uses: ['delete_user', 'delete_event', 'cancel_notification', 'delete_prompt'],
      title: 'Remove sample data',
      description:
        'Removes what load_demo added and nothing else. A sample person with data of others stays; see `kept`.',
      searchHint: 'sample example delete',
      phrases:
        'remove delete get rid of demo example examples sample data clear away wipe clean made-up fake dummy stuff take out done playing finished trying trial test toy pretend person start for real empty serious tour over erase',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: report,
      annotations: hints.replaces,
      async call(_, context) {
        const { remove } = await import('./sample-data.ts');
        return { structured: await inTurn(() => remove(options, context)) };
      },
    }),
  ];
}
