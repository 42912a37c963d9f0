import { Failure } from '../failure.ts';
import type { Feature } from '../feature.ts';
import type { InboxSource } from '../inbox.ts';
import { log } from '../log.ts';
import { Lazy } from '../pace.ts';
import type { OpenData } from './firing/feature-data.ts';
import type { RoutinesOptions } from './firing/open-routines.ts';
import { routineTools } from './tools/routine-tools.ts';

export type { RoutinesOptions };

export interface RoutinesFeature extends Feature {
  readonly inbox: InboxSource;
  /** Looks for due routines once, and waits until their runs have started. */
  once(): Promise<void>;
}

const hookPath = /^\/hooks\/([0-9a-f-]{36})$/;

/** Tasks for sub-agents that start at a time, around events of a calendar, or on a request. */
export function createRoutines(options: RoutinesOptions): RoutinesFeature {
  const opening = new Lazy(async () => (await import('./firing/open-routines.ts')).openRoutines(options));
  const open: OpenData = async () => (await opening.get()).data;
  if (options.fires)
    opening
      .get()
      .then((opened) => opened.start())
      .catch((error: unknown) => log('error', 'routines cannot be fired', error));
  return {
    name: 'routines',
    tools: routineTools(open),
    http: {
      accepts: (path) => hookPath.test(path),
      async serve(path, request, response, address) {
        const { serveHook } = await import('./firing/webhook.ts');
        await serveHook(hookPath.exec(path)![1]!, request, response, address, open);
      },
    },
    inbox: {
      tool: 'list_routines',
      list: async (context) => (await import('./actions/inbox.ts')).listInbox(await open(), context),
    },
    async problems() {
      try {
        return await (await import('./actions/problems.ts')).findProblems(await open());
      } catch (error) {
        // A database that cannot be reached is reported by the assistant.
        if (error instanceof Failure && error.kind === 'unavailable') return [];
        throw error;
      }
    },
    async once() {
      const { loop } = await open();
      await loop.tick();
      await loop.idle();
    },
    async close() {
      await (await opening.current)?.close();
    },
  };
}
