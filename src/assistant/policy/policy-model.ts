import type { Context } from '../../context.ts';
import type { ExpandOwn } from '../../feature.ts';
import type { DelegateTask } from './models.ts';
import type { Model, PolicyName } from './policy.ts';

export interface PolicyOptions {
  readonly name: PolicyName;
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
  readonly delegate?: DelegateTask | undefined;
  /** Finds the person's own rules in the library of prompts. */
  readonly expand?: ExpandOwn | undefined;
}

/** Returns the configured model, with the person's own rules. Undefined means that the built-in rules decide. */
export async function modelFor(options: PolicyOptions, context?: Context): Promise<Model | undefined> {
  const model = await plainModel(options, context);
  if (model === undefined || options.expand === undefined) return model;
  return (await import('./own-policy.ts')).withOwnPolicy(model, options.expand);
}

async function plainModel(
  { name, url, model, key, timeoutMs, delegate }: PolicyOptions,
  context?: Context,
): Promise<Model | undefined> {
  switch (name) {
    case 'rules':
      return undefined;
    case 'endpoint':
      if (url === undefined || model === undefined)
        return unavailableModel(name, 'assistant.model_url or assistant.model is not configured');
      return (await import('./models.ts')).createEndpoint({ url, model, key, timeoutMs });
    case 'delegate':
      if (delegate === undefined) return unavailableModel(name, 'no sub-agents are available');
      return (await import('./models.ts')).createDelegateModel(delegate, timeoutMs);
    case 'client':
      // The identity 'client' keeps earlier decisions of a client's model valid, also in a worker, which has no client.
      if (!context?.can('sampling'))
        return unavailableModel(name, 'this client does not support sampling', 'client');
      return (await import('./models.ts')).createClientModel(context, timeoutMs);
  }
}

/** Stands in for a configured model that cannot be used, so that the plan can say why the rules decided. */
function unavailableModel(name: Model['name'], error: string, identity = 'absent'): Model {
  return { name, identity, ask: async (questions) => questions.map(() => ({ error })) };
}
