import type { Audit, CallOutcome } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { Denied, Failure, failureDetails, failureKey } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Tool, ToolResult } from '../tool.ts';
import { type Call, recordDenied } from './call.ts';
import { deriveContext, InputRequired } from './context.ts';
import { kindOf, reportFailure } from './failure-report.ts';
import { isValidatorLoaded, loadValidator, parseValue } from './schema.ts';

export async function callTool({ session, server, params, request, context }: Call): Promise<JsonObject> {
  const { contract } = server;
  const { surface } = session;
  const name = params['name'];
  const given = params['arguments'];
  const direct = surface.findTool(name);
  const discovery =
    direct === undefined ? surface.discoveryTools.find((tool) => tool.name === name) : undefined;
  if (discovery === undefined && direct === undefined)
    throw new Failure('tool-not-found', `Unknown tool: ${name}`);
  let result: ToolResult;
  try {
    if (direct !== undefined) result = await runTool(direct, given ?? {}, context, server.audit);
    else {
      const { runDiscovery } = await import('./discovery.ts');
      result = await runDiscovery(discovery!, given, server, surface, context);
    }
  } catch (error) {
    // The request was valid, so the model gets the failure as a tool result.
    if (error instanceof InputRequired || !contract.toolErrors.has(kindOf(error))) throw error;
    recordDenied(session, request, error);
    const failure = reportFailure(error, String(name));
    result = {
      content: [{ type: 'text', text: failure.message }],
      failed: true,
      ...(contract.failureDetails && { meta: { [failureKey]: failureDetails(failure) } }),
    };
  }
  return result.task === undefined ? contract.toolResult(result) : { resultType: 'task', ...result.task };
}

/**
 * Validates the arguments, fills in their defaults and runs the tool within its time limit. The security log records what a tool
 * that can change something does.
 */
export async function runTool(
  tool: Tool,
  given: unknown,
  context: Context,
  audit?: Audit,
): Promise<ToolResult> {
  if (!isValidatorLoaded()) await loadValidator();
  if (audit === undefined || tool.annotations?.readOnlyHint === true) return runValid(tool, given, context);
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
  try {
    return await runValid(audited, given, context);
  } catch (error) {
    if (!isValid) audit.record({ ...call, ...callOutcome({ error }) });
    throw error;
  }
}

/** What the security log says about the end of a call. Denied calls have entries of their own. */
export function callOutcome(end: { readonly value: ToolResult } | { readonly error: unknown }): CallOutcome {
  if ('value' in end) return { outcome: end.value.failed ? 'failed' : 'done', result: end.value };
  return end.error instanceof InputRequired || end.error instanceof Denied
    ? { outcome: 'withdrawn' }
    : { outcome: 'failed', reason: kindOf(end.error) };
}

async function runValid(tool: Tool, given: unknown, context: Context): Promise<ToolResult> {
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
