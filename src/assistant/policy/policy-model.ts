import type { Context } from '../../context.ts';
import type { DelegateTask } from './delegate.ts';
import type { Model, PolicyName } from './policy.ts';

export interface PolicyOptions {
  readonly name: PolicyName;
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
  readonly delegate?: DelegateTask | undefined;
}

/** Whoever decides, for a caller who may be a model itself; `undefined` leaves it to the rules. */
export async function modelFor(
  { name, url, model, key, timeoutMs, delegate }: PolicyOptions,
  context?: Context,
): Promise<Model | undefined> {
  switch (name) {
    case 'rules':
      return undefined;
    case 'endpoint':
      if (url === undefined || model === undefined)
        return absent(name, 'its address or its model is not configured');
      return (await import('./endpoint.ts')).createEndpoint({ url, model, key, timeoutMs });
    case 'delegate':
      if (delegate === undefined) return absent(name, 'there are no sub-agents here');
      return (await import('./delegate.ts')).createDelegateModel(delegate, timeoutMs);
    case 'client':
      // What another client's model has decided stands, also for a worker, which has no client.
      if (!context?.can('sampling'))
        return absent(name, 'this client does not let its model be asked', 'client');
      return (await import('./client.ts')).createClientModel(context, timeoutMs);
  }
}

/** A policy that was wished for and is not there, so that a plan can say why the rules decided. */
function absent(name: Model['name'], trouble: string, identity = 'absent'): Model {
  return { name, identity, ask: async (questions) => questions.map(() => ({ trouble })) };
}
