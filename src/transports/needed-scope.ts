import { classify, type RequestMessage } from '../engine/message.ts';
import type { Server } from '../engine/server.ts';
import { isObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import { methodWays, resourceWays } from '../toolsets/other-ways.ts';

interface DeniedRequest {
  readonly scope: string;
  readonly request: RequestMessage;
}

/** The first request of a message for which its sender lacks a scope. */
export function findDenied(server: Server, access: Access, message: unknown): DeniedRequest | undefined {
  for (const one of Array.isArray(message) ? message : [message]) {
    const incoming = classify(one);
    if (incoming.kind !== 'request') continue;
    const { request } = incoming;
    const tool = toolOf(server, access, request);
    const scope = tool === undefined ? undefined : access.missingScope(tool);
    if (scope !== undefined) return { scope, request };
  }
  return undefined;
}

/** The tool that a request uses, whatever kind of request it is. A request that will be refused uses none. */
function toolOf(server: Server, access: Access, request: RequestMessage): string | undefined {
  const { method, params, issue } = request;
  if (issue !== undefined) return undefined;
  if (method === 'tools/call') {
    const inner = isObject(params['arguments']) ? params['arguments'] : {};
    const isIndirect = params['name'] === 'call_tool' || params['name'] === 'query_tool';
    const name = isIndirect ? inner['name'] : params['name'];
    return typeof name === 'string' ? server.offeredTools.get(name)?.tool.name : undefined;
  }
  if (method === 'prompts/get') {
    const mayGet = server.features.some((one) => one.prompts && access.allowsPrompts(one.name, 'get'));
    return mayGet ? undefined : 'expand_prompt';
  }
  if (method === 'resources/read')
    return resourceWays.find(({ pattern }) => pattern.test(params['uri'] as string))?.read;
  return Object.hasOwn(methodWays, method) ? methodWays[method]!.tool : undefined;
}
