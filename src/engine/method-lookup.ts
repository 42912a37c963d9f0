import type { Contract } from '../contracts/contract.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { methodWays } from '../toolsets/other-ways.ts';
import { describeRequest } from './call.ts';
import { type Builtin, builtins } from './methods.ts';
import type { Surface } from './surface.ts';
import { callOutcome } from './tool-call.ts';

/** Finds a method by its wire name: one of the specification, or one that a feature adds. */
export function findMethod(surface: Surface, contract: Contract, name: string, modern: boolean): Builtin {
  const { offer } = surface;
  if (contract.methods.has(name)) {
    const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
    if (
      builtin !== undefined &&
      builtin.era !== (modern ? 'legacy' : 'modern') &&
      (builtin.offered?.(offer) ?? true)
    )
      return builtin;
    const method = surface.method(name);
    if (method !== undefined) {
      return {
        schema: method.paramsSchema,
        ...(method.writes && { writes: true }),
        async call({ server, request, params, context }) {
          const work = async () => (await method.call(params as never, context)) as JsonObject;
          if (server.audit === undefined || !methodWays[name]?.writes) return work();
          const { actor, client } = context;
          return server.audit.run(
            { actor, client: client.name, ...describeRequest(request) },
            { work, outcome: (end) => callOutcome('value' in end ? { value: {} } : end) },
          );
        },
      };
    }
  }
  throw new Failure('method-not-found', `Method not found: ${name}`);
}
