import type { Server } from '../engine/server.ts';
import { isObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import { methodWays, resourceWays } from '../toolsets/other-ways.ts';

/** The scope that the sender of a message lacks for what the message asks for. */
export function neededScope(server: Server, access: Access, message: unknown): string | undefined {
  for (const one of Array.isArray(message) ? message : [message]) {
    const tool = isObject(one) ? toolOf(server, access, String(one['method']), one['params']) : undefined;
    const missing = tool === undefined ? undefined : access.missingScope(tool);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** The tool that a message uses, whatever kind of request it is. */
function toolOf(server: Server, access: Access, method: string, given: unknown): string | undefined {
  const params = isObject(given) ? given : {};
  if (method === 'tools/call') {
    const inner = isObject(params['arguments']) ? params['arguments'] : {};
    const isIndirect = params['name'] === 'call_tool' || params['name'] === 'query_tool';
    const name = isIndirect ? inner['name'] : params['name'];
    return server.offeredTools.get(String(name))?.tool.name;
  }
  if (method === 'prompts/get') {
    const mayGet = server.features.some((one) => one.prompts && access.allowsPrompts(one.name, 'get'));
    return mayGet ? undefined : 'expand_prompt';
  }
  if (method === 'resources/read')
    return resourceWays.find(({ pattern }) => pattern.test(String(params['uri'])))?.read;
  return Object.hasOwn(methodWays, method) ? methodWays[method]!.tool : undefined;
}
