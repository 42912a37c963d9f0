import { Failure } from '../failure.ts';
import type { Context, Tool, ToolResult } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { deriveContext, InputRequired } from './context.ts';
import { kindOf, reportFailure } from './failure-report.ts';
import { parseValue } from './schema.ts';

export async function callTool({ server: { contract, tools }, params, context }: Call): Promise<JsonObject> {
  const tool = tools.find((candidate) => candidate.name === params['name']);
  if (tool === undefined) throw new Failure('tool-not-found', `Unknown tool: ${params['name']}`);
  try {
    const args = await parseValue(
      tool.acceptedSchema ?? tool.inputSchema,
      params['arguments'] ?? {},
      `${tool.name} arguments`,
    );
    const result = await withinTime(tool, args, context);
    if (result.task !== undefined) return { resultType: 'task', ...result.task };
    return contract.toolResult(result);
  } catch (error) {
    // From here on the request itself was right, so what went wrong is for the model to read.
    if (error instanceof InputRequired || !contract.toolErrors.has(kindOf(error))) throw error;
    const failure = reportFailure(error, tool.name);
    const meta = contract.failureMeta(failure);
    const content = [{ type: 'text', text: failure.message }] as const;
    return contract.toolResult({ content, failed: true, ...(meta && { meta }) });
  }
}

async function withinTime(tool: Tool, args: unknown, context: Context): Promise<ToolResult> {
  if (tool.timeoutMs === undefined) return tool.call(args as never, context);
  const { timeoutMs } = tool;
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Failure('timeout', `${tool.name} took longer than ${timeoutMs / 1000} s.`));
  }, timeoutMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  const late = new Promise<never>((_, reject) =>
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason)),
  );
  try {
    return await Promise.race([tool.call(args as never, deriveContext(context, { signal })), late]);
  } finally {
    clearTimeout(timer);
  }
}
