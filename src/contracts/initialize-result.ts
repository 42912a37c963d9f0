import type { JsonObject } from '../json.ts';
import type { Contract } from './contract.ts';

/** The result of `initialize`. The parameters are valid. */
export function initializeResult(
  contract: Contract,
  capabilities: JsonObject,
  instructions: string | undefined,
  params: JsonObject,
): JsonObject {
  const result = {
    protocolVersion: contract.negotiate(params['protocolVersion'] as string | undefined),
    capabilities,
    serverInfo: contract.server,
    ...(instructions !== undefined && { instructions }),
  };
  return contract.initialized(result, params);
}
