import type { Audit, CallOutcome } from '../audit/audit-entry.ts';
import type { Context } from '../context.ts';
import type { Contract } from '../contracts/contract.ts';
import { Denied, Failure, failureDetails, failureKey } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import type { Tool, ToolResult } from '../tool.ts';
import { type DiscoveryTool, foundTools } from '../toolsets/discovery-tools.ts';
import { type Call, type Host, recordDenied } from './call.ts';
import { deriveContext, InputRequired } from './context.ts';
import { kindOf, reportFailure } from './failure-report.ts';
import { isValidatorLoaded, loadValidator, parseValue } from './schema.ts';
import type { Surface } from './surface.ts';

export async function callTool({ session, server, params, request, context }: Call): Promise<JsonObject> {
  const { contract } = server;
  const { surface } = session;
  const name = params['name'];
  const given = params['arguments'];
  const direct = surface.findTool(name);
  const discovery = direct === undefined ? findDiscovery(name, surface) : undefined;
  let result: ToolResult;
  try {
    result =
      discovery === undefined
        ? await runTool(direct!, given ?? {}, context, server.audit)
        : await runDiscovery(discovery, given, server, surface, context);
  } catch (error) {
    // The request was valid, so the model gets the failure as a tool result.
    if (error instanceof InputRequired || !contract.toolErrors.has(kindOf(error))) throw error;
    recordDenied(session, request, error);
    result = failedResult(reportFailure(error, String(name)), contract);
  }
  return result.task === undefined ? contract.toolResult(result) : { resultType: 'task', ...result.task };
}

function findDiscovery(name: unknown, surface: Surface): DiscoveryTool {
  const found = surface.discoveryTools.find((tool) => tool.name === name);
  if (found === undefined) throw new Failure('tool-not-found', `Unknown tool: ${name}`);
  return found;
}

function failedResult(failure: Failure, { failureDetails: hasDetails }: Contract): ToolResult {
  return {
    content: [{ type: 'text', text: failure.message }],
    failed: true,
    ...(hasDetails && { meta: { [failureKey]: failureDetails(failure) } }),
  };
}

/**
 * Validates the arguments, fills in their defaults and runs the tool within its time limit. The security log records what a tool
 * that can change something does.
 */
export function runTool(tool: Tool, given: unknown, context: Context, audit?: Audit): Promise<ToolResult> {
  return audit === undefined || tool.annotations?.readOnlyHint === true
    ? runValid(tool, given, context)
    : runAudited(tool, given, context, audit);
}

async function runAudited(tool: Tool, given: unknown, context: Context, audit: Audit): Promise<ToolResult> {
  const args = isObject(given) ? given : {};
  const call = { actor: context.actor, client: context.client.name, action: tool.name, args };
  let isValid = false;
  const audited: Tool = {
    ...tool,
    call: (valid, derived) => {
      isValid = true;
      return audit.run(call, {
        inDatabase: tool.changes === 'database',
        freesSpace: tool.changes === 'less space',
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

/** Not `async`, because the call of the tool is all there is to wait for. */
function runValid(tool: Tool, given: unknown, context: Context): Promise<ToolResult> {
  if (!isValidatorLoaded()) return loadValidator().then(() => runValid(tool, given, context));
  try {
    const args = parseValue(tool.acceptedSchema ?? tool.inputSchema, given, `${tool.name} arguments`);
    return tool.timeoutMs === undefined
      ? tool.call(args as never, context)
      : runWithinTimeLimit(tool, tool.timeoutMs, args, context);
  } catch (error) {
    return Promise.reject(error);
  }
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

/** Runs search_tools, or the tool that query_tool or call_tool names, exactly like a direct call of that tool. */
async function runDiscovery(
  discovery: DiscoveryTool,
  given: unknown,
  server: Host,
  surface: Surface,
  context: Context,
): Promise<ToolResult> {
  const args = parseValue(discovery.inputSchema, given ?? {}, `${discovery.name} arguments`);
  if (discovery.name === 'search_tools') {
    const { query, limit } = args as { query: string; limit: number };
    const { rankTools } = await import('../toolsets/tool-ranking.ts');
    const { found, fits } = await rankTools(query, surface.tools);
    return {
      structured: foundTools(
        found.slice(0, limit),
        fits,
        (tool) => server.contract.toolItem(tool)['inputSchema'] as JsonObject,
      ),
    };
  }
  const { name, arguments: inner } = args as { name: string; arguments: object };
  const tool = findNamed(name, surface);
  if (discovery.name === 'query_tool' && tool.annotations?.readOnlyHint !== true)
    throw new Failure('invalid-params', `${name} is not a read-only tool; call it with call_tool.`);
  return runTool(tool, inner, context, server.audit);
}

/** The name is an argument here, so the model gets a wrong one as a tool result and can correct it. */
function findNamed(name: string, surface: Surface): Tool {
  try {
    const tool = surface.findTool(name);
    if (tool !== undefined) return tool;
  } catch (error) {
    throw error instanceof Failure ? new Failure('invalid-params', error.message, { cause: error }) : error;
  }
  const names = surface.tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  throw new Failure(
    'invalid-params',
    `Unknown tool: ${name}; ${meant === undefined ? 'find one with search_tools.' : `did you mean ${meant}?`}`,
  );
}
