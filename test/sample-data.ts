import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createAssistant } from '../src/assistant/assistant.ts';
import { standard } from '../src/contracts/standard.ts';
import { createDemo } from '../src/demo/demo.ts';
import { internalContext } from '../src/engine/context.ts';
import { Server } from '../src/engine/server.ts';
import { Failure } from '../src/failure.ts';
import type { CallFeature } from '../src/feature-api.ts';
import type { JsonObject } from '../src/json.ts';
import { channelConfig } from './channel-config.ts';

const context = internalContext();

/** The demo feature with a real assistant. Calls of the tool `broken` fail. */
export function openSampleData(home: string, broken?: string) {
  const at = (...path: readonly string[]) => join(home, ...path);
  const assistant = createAssistant({
    databaseUrl: at('adjutant.db'),
    calendars: { privateHosts: [], passwordsFile: at('passwords'), maxBytes: 1_000_000, intervalMs: 900_000 },
    channels: channelConfig(at('outbox')),
    policy: { name: 'rules', timeoutMs: 1000 },
    toolTimeoutMs: 20_000,
  });
  const server = new Server({ contract: standard, features: [assistant] });
  const call = async (name: string, args: object = {}): Promise<JsonObject> => {
    if (name === broken) throw new Failure('unavailable', `${name} does not work`);
    if (name === 'delegate_autopilot') {
      mkdirSync(at('runs', 'question'), { recursive: true });
      return { run_dir: at('runs', 'question') };
    }
    return (await server.call(name, args, context)).structured as JsonObject;
  };
  const { tools = [] } = createDemo({
    commandsDir: at('commands'),
    librariesDir: at('libraries'),
    outboxDir: at('outbox'),
    runsDir: at('runs'),
    stateFile: at('state', 'demo.json'),
    call: call as CallFeature,
    storedData: assistant.storedData,
  });
  const [load, remove] = tools.map(
    (tool) => async () => (await tool.call({} as never, context)).structured as JsonObject,
  );
  const list = async (tool: string, key: string, args: object = {}) =>
    (await call(tool, { ...args, limit: 1000 }))[key] as JsonObject[];
  return {
    load: load!,
    remove: remove!,
    call,
    users: () => list('list_users', 'users'),
    events: (user_id: unknown) => list('list_events', 'events', { user_id, days_forward: 90 }),
    calendars: (user_id: unknown) => list('list_calendars', 'calendars', { user_id }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
