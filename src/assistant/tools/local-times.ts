import type { Context } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import type { Tool } from '../../tool.ts';
import type { AssistantData } from '../entities/entity-access.ts';

/** Characters that local times add to one item of a list. */
export const localTimesLength = 100;

/** Adds local times and relative phrases, which models would otherwise have to compute, to the results of a tool. */
export function withLocalTimes(tool: Tool, data: AssistantData): Tool {
  return {
    ...tool,
    async call(args: JsonObject, context: Context) {
      const result = await tool.call(args as never, context);
      if (result.structured === undefined) return result;
      const { addLocalTimes } = await import('./local-time-fields.ts');
      return { ...result, structured: await addLocalTimes(data, result.structured as JsonObject, args) };
    },
  };
}
