import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import type { Tool, ToolResult } from '../tool.ts';
import { type DiscoveryTool, foundTool } from '../toolsets/discovery-tools.ts';
import { rankTools } from '../toolsets/tool-ranking.ts';
import { loadValidator, parseValue } from './schema.ts';
import type { Server } from './server.ts';
import type { Surface } from './surface.ts';
import { runTool } from './tool-call.ts';

/** Runs search_tools, or the tool that query_tool or call_tool names, exactly like a direct call of that tool. */
export async function runDiscovery(
  discovery: DiscoveryTool,
  given: unknown,
  server: Server,
  surface: Surface,
  context: Context,
): Promise<ToolResult> {
  await loadValidator();
  const args = parseValue(discovery.inputSchema, given ?? {}, `${discovery.name} arguments`);
  if (discovery.name === 'search_tools') {
    const { query, limit } = args as { query: string; limit: number };
    const found = await rankTools(query, surface.tools);
    return {
      structured: {
        tools: found
          .slice(0, limit)
          .map((tool) => foundTool(tool, server.contract.toolItem(tool)['inputSchema'] as JsonObject)),
      },
    };
  }
  const { name, arguments: inner } = args as { name: string; arguments: object };
  const tool = find(name, surface);
  if (discovery.name === 'query_tool' && tool.annotations?.readOnlyHint !== true)
    throw new Failure('invalid-params', `${name} is not a read-only tool; call it with call_tool.`);
  return runTool(tool, inner, context, server.audit);
}

/** The name is an argument here, so the model gets a wrong one as a tool result and can correct it. */
function find(name: string, surface: Surface): Tool {
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
