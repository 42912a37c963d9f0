import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { defineMethod, type Method } from '../../tool.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { RunRecord } from '../record/run-record.ts';
import { runReport } from '../record/run-report.ts';
import type { RunAccount } from '../sharing/run-overview.ts';
import type { Runs } from '../sharing/runs.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const pollIntervalMs = 1_000;

/** True if the client of this request accepts a task as the answer. */
export function supportsTasks({ client }: Context): boolean {
  const extensions = client.capabilities['extensions'];
  return client.protocolVersion >= '2026-07-28' && isObject(extensions) && tasksExtension in extensions;
}

/** A run as an MCP task. The task has the run's id and exists as long as the run's directory. */
export function toTask(record: RunRecord | AutopilotOutput, extra: JsonObject = {}): JsonObject {
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

/** The methods for tasks. A failed run is a completed task, because its call has a result that reports the failure. */
export function taskMethods(runs: (context: Context) => Promise<Runs>): Readonly<Record<string, Method>> {
  const find = async (taskId: string, context: Context): Promise<[Runs, RunRecord]> => {
    if (!supportsTasks(context))
      throw new Failure('capability-missing', `The client must declare the extension ${tasksExtension}.`, {
        data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      });
    const all = await runs(context);
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
        if (toTask(record)['status'] !== 'completed') return toTask(record);
        return toTask(record, { result: toCallResult(await all.account(taskId)) });
      },
    }),
    // Sub-agents never request input, so an update is only acknowledged.
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

/** The result that the tool call would have returned. */
function toCallResult({ overview, record, autopilot }: RunAccount): JsonObject {
  const text =
    autopilot === undefined ? runReport(overview.tool, record, true) : autopilotReport(autopilot, true);
  return {
    content: [{ type: 'text', text }],
    structuredContent: (autopilot ?? record) as unknown as JsonObject,
  };
}
