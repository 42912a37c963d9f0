import type { CallOutcome } from '../audit/audit.ts';
import { type Awaitable, attempt } from '../awaitable.ts';
import type { Context } from '../context.ts';
import { Denied, Failure, failureDetails, failureKey } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Tool, ToolResult } from '../tool.ts';
import { type Call, recordDenied } from './call.ts';
import { deriveContext, InputRequired } from './context.ts';
import { kindOf, reportFailure } from './failure-report.ts';
import { loadValidator, parseValue } from './schema.ts';
import type { Server } from './server.ts';

export function callTool({ session, server, params, request, context }: Call): Awaitable<JsonObject> {
  const { contract } = server;
  const { surface } = session;
  const name = params['name'];
  const given = params['arguments'];
  const direct = surface.findTool(name);
  const discovery =
    direct === undefined ? surface.discoveryTools.find((tool) => tool.name === name) : undefined;
  if (discovery === undefined && direct === undefined)
    throw new Failure('tool-not-found', `Unknown tool: ${name}`);
  return attempt(
    () =>
      direct === undefined
        ? import('./discovery.ts').then(({ runDiscovery }) =>
            runDiscovery(discovery!, given, server, surface, context),
          )
        : runAudited(server, direct, given ?? {}, context),
    (result) =>
      result.task === undefined ? contract.toolResult(result) : { resultType: 'task', ...result.task },
    (error) => {
      // The request was valid, so the model gets the failure as a tool result.
      if (error instanceof InputRequired || !contract.toolErrors.has(kindOf(error))) throw error;
      recordDenied(session, request, error);
      const failure = reportFailure(error, String(name));
      return contract.toolResult({
        content: [{ type: 'text', text: failure.message }],
        failed: true,
        ...(contract.failureDetails && { meta: { [failureKey]: failureDetails(failure) } }),
      });
    },
  );
}

/** Like `runTool`. The security log records what a tool that can change something does. */
export function runAudited(
  { audit }: Server,
  tool: Tool,
  given: unknown,
  context: Context,
): Awaitable<ToolResult> {
  if (audit === undefined || tool.annotations?.readOnlyHint === true) return runTool(tool, given, context);
  const args = isObject(given) ? given : {};
  const call = { actor: context.actor, client: context.client.name, action: tool.name, args };
  let isValid = false;
  const audited: Tool = {
    ...tool,
    call: (valid, derived) => {
      isValid = true;
      return audit.run(call, {
        inDatabase: tool.changes === 'database',
        work: async () => tool.call(valid, derived),
        outcome: callOutcome,
      });
    },
  };
  return (async () => runTool(audited, given, context))().catch((error: unknown) => {
    if (!isValid) audit.record({ ...call, ...callOutcome({ error }) });
    throw error;
  });
}

/** What the security log says about the end of a call. Denied calls have entries of their own. */
export function callOutcome(end: { readonly value: ToolResult } | { readonly error: unknown }): CallOutcome {
  if ('value' in end) return { outcome: end.value.failed ? 'failed' : 'done', result: end.value };
  return end.error instanceof InputRequired || end.error instanceof Denied
    ? { outcome: 'withdrawn' }
    : { outcome: 'failed', reason: kindOf(end.error) };
}

/** Validates the arguments, fills in their defaults and runs the tool within its time limit. */
export function runTool(tool: Tool, given: unknown, context: Context): Awaitable<ToolResult> {
  const loading = loadValidator();
  if (loading !== undefined) return loading.then(() => runTool(tool, given, context));
  const schema = tool.acceptedSchema ?? tool.inputSchema;
  const args = parseValue(schema, given, `${tool.name} arguments`);
  return tool.timeoutMs === undefined
    ? tool.call(args as never, context)
    : runWithinTimeLimit(tool, tool.timeoutMs, args, context);
}

async function runWithinTimeLimit(
  tool: Tool,
  timeoutMs: number,
  args: unknown,
  context: Context,
): Promise<ToolResult> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Failure('timeout', `${tool.name} took longer than ${timeoutMs / 1000} s.`));
  }, timeoutMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  const timedOut = new Promise<never>((_, reject) =>
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason)),
  );
  try {
    return await Promise.race([tool.call(args as never, deriveContext(context, { signal })), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
