import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { defineMethod, type Method } from '../../tool.ts';
import { approvalForm } from '../run/approval-form.ts';
import { passOn } from './approval-rounds.ts';
import type { RunAccount } from './run-overview.ts';
import { autopilotResult, runResult } from './run-result.ts';
import type { Runs } from './runs.ts';

const tasksExtension = 'io.modelcontextprotocol/tasks';
const pollIntervalMs = 1_000;

/** True if the client of this request accepts a task as the answer. */
export function supportsTasks({ client }: Context): boolean {
  const extensions = client.capabilities['extensions'];
  return client.protocolVersion >= '2026-07-28' && isObject(extensions) && tasksExtension in extensions;
}

/** True if the client shows forms. One that declares only `url` does not. */
function canFillForms({ client }: Context): boolean {
  const { elicitation } = client.capabilities;
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

/** A run as an MCP task. The task has the run's id and exists as long as the run's directory. */
export async function toTask(runs: Runs, id: string, context: Context): Promise<JsonObject> {
  const account = await runs.account(id);
  const { status, error, summary, timing } = account.autopilot
    ? { ...account.autopilot, summary: account.autopilot.aggregate.summary }
    : account.record;
  const isRunning = status === 'running' || status === 'interrupted';
  const questions = canFillForms(context) ? (account.record.approvals ?? []) : [];
  return {
    taskId: id,
    status: isRunning
      ? questions.length > 0
        ? 'input_required'
        : 'working'
      : status === 'cancelled'
        ? 'cancelled'
        : 'completed',
    statusMessage: isRunning ? await runs.activity(account) : (error ?? summary),
    createdAt: timing.started_at,
    lastUpdatedAt: isRunning ? new Date().toISOString() : timing.finished_at,
    ttlMs: null,
    pollIntervalMs,
    ...(questions.length > 0 && {
      inputRequests: Object.fromEntries(
        questions.map((request) => [
          request.run_id === undefined ? request.id : `${request.run_id} ${request.id}`,
          approvalForm(request.run_id ?? id, request) as unknown as JsonObject,
        ]),
      ),
    }),
    ...(!isRunning && status !== 'cancelled' && { result: toCallResult(account) }),
  };
}

/** The methods for tasks. A failed run is a completed task, because its call has a result that reports the failure. */
export function taskMethods(runs: (context: Context) => Promise<Runs>): Readonly<Record<string, Method>> {
  const find = async (taskId: string, context: Context): Promise<Runs> => {
    if (!supportsTasks(context))
      throw new Failure('capability-missing', `The client must declare the extension ${tasksExtension}.`, {
        data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      });
    const all = await runs(context);
    await all.show(taskId).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'resource-not-found')
        throw new Failure('invalid-params', `There is no task ${taskId}.`);
      throw error;
    });
    return all;
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
        return toTask(await find(taskId, context), taskId, context);
      },
    }),
    // The answers to what the agent asks permission for. Others are only acknowledged.
    'tasks/update': defineMethod({
      paramsSchema: {
        ...paramsSchema,
        properties: { ...paramsSchema.properties, inputResponses: { type: 'object' } },
      },
      async call({ taskId, inputResponses = {} }, context) {
        const all = await find(taskId, context);
        for (const [key, response] of Object.entries(inputResponses)) {
          const [approval = '', run = taskId] = key.split(' ').reverse();
          const isPart = run === taskId || run.startsWith(`${taskId}/`);
          if (isObject(response) && isPart) await passOn(all, run, approval, response, context);
        }
        return {};
      },
    }),
    'tasks/cancel': defineMethod({
      paramsSchema,
      async call({ taskId }, context) {
        const all = await find(taskId, context);
        await all.cancel(taskId, 'tasks/cancel was called', context.signal);
        return {};
      },
    }),
  };
}

/** The result that the tool call would have returned. */
function toCallResult({ overview, record, autopilot }: RunAccount): JsonObject {
  const { structured, content } = autopilot ? autopilotResult(autopilot) : runResult(overview.tool, record);
  return { content, structuredContent: structured as unknown as JsonObject };
}
