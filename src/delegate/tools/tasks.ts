import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { defineMethod, type Method } from '../../tool.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { RunRecord } from '../record/run-record.ts';
import { runReport } from '../record/run-report.ts';
import type { Runs } from '../sharing/runs.ts';
import type { RunAccount } from '../sharing/shared-runs.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const pollIntervalMs = 1_000;

/** Whether this very request may be answered with a task. */
export function takesTasks({ client }: Context): boolean {
  const extensions = client.capabilities['extensions'];
  return client.protocolVersion >= '2026-07-28' && isObject(extensions) && tasksExtension in extensions;
}

/** A run as a task: its id is the run's, and it lasts as long as the run's directory. */
export function taskOf(record: RunRecord | AutopilotOutput, extra: JsonObject = {}): JsonObject {
  const { started_at, finished_at } = record.timing;
  return {
    taskId: record.run_id,
    status:
      record.status === 'running' ? 'working' : record.status === 'cancelled' ? 'cancelled' : 'completed',
    statusMessage: record.error ?? ('summary' in record ? record.summary : record.aggregate.summary),
    createdAt: started_at,
    lastUpdatedAt: record.status === 'running' ? new Date().toISOString() : finished_at,
    ttlMs: null,
    pollIntervalMs,
    ...extra,
  };
}

/** A run that failed is a completed task: the call was answered, and the answer tells of the failure. */
export function taskMethods(runs: () => Promise<Runs>): Readonly<Record<string, Method>> {
  const find = async (taskId: string, context: Context): Promise<[Runs, RunRecord]> => {
    if (!takesTasks(context))
      throw new Failure('capability-missing', `This needs a client with the extension ${tasksExtension}.`, {
        data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      });
    const all = await runs();
    const record = await all.show(taskId).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'resource-not-found')
        throw new Failure('invalid-params', `There is no task ${taskId}.`);
      throw error;
    });
    return [all, record];
  };
  const paramsSchema = {
    type: 'object',
    required: ['taskId'],
    properties: { taskId: { type: 'string', minLength: 1 } },
  } as const;
  return {
    'tasks/get': defineMethod({
      paramsSchema,
      async call({ taskId }, context) {
        const [all, record] = await find(taskId, context);
        if (taskOf(record)['status'] !== 'completed') return taskOf(record);
        return taskOf(record, { result: resultOf(await all.account(taskId)) });
      },
    }),
    // Sub-agents never ask, so there is never anything to be told; the acknowledgement is due all the same.
    'tasks/update': defineMethod({
      paramsSchema,
      async call({ taskId }, context) {
        await find(taskId, context);
        return {};
      },
    }),
    'tasks/cancel': defineMethod({
      paramsSchema,
      async call({ taskId }, context) {
        const [all] = await find(taskId, context);
        await all.cancel(taskId, 'tasks/cancel was called', context.signal);
        return {};
      },
    }),
  };
}

/** What the call would have answered, had it waited. */
function resultOf({ overview, record, autopilot }: RunAccount): JsonObject {
  const text = autopilot === undefined ? runReport(overview.tool, record) : autopilotReport(autopilot);
  return {
    content: [{ type: 'text', text }],
    structuredContent: (autopilot ?? record) as unknown as JsonObject,
  };
}
