import {
  type Actor,
  type AskCapability,
  type AskRequest,
  type Client,
  type Context,
  identityOf,
  owner,
  type ProtocolLogLevel,
  protocolLogLevels,
} from '../context.ts';
import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Connection } from './call.ts';
import { metaKeys } from './envelope.ts';
import { notification, type RequestMessage } from './message.ts';
import type { RequestInProgress } from './request-in-progress.ts';
import type { Seal } from './seal.ts';

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const capabilityOf: Readonly<Record<AskRequest['method'], AskCapability>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** Methods that may return questions in their result (revision 2026-07-28). */
const askable = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The parameters of the method itself, without `_meta` and the answers to questions. */
export function ownParams({ method, params }: RequestMessage): RequestMessage['params'] {
  if (!('_meta' in params || 'inputResponses' in params || 'requestState' in params)) return params;
  if (askable.has(method)) {
    const { _meta, inputResponses, requestState, ...own } = params;
    return own;
  }
  const { _meta, ...own } = params;
  return own;
}

/** Thrown through the handler to return questions to the client, which then sends the request again. */
export class InputRequired {
  readonly #requests: Readonly<Record<string, AskRequest>>;
  readonly #answers: Answers;
  readonly #binding: unknown;

  constructor(requests: Readonly<Record<string, AskRequest>>, answers: Answers, binding: unknown) {
    this.#requests = requests;
    this.#answers = answers;
    this.#binding = binding;
  }

  result(seal: Seal): JsonObject {
    return {
      resultType: 'input_required',
      inputRequests: this.#requests as unknown as JsonObject,
      requestState: seal.close(this.#answers, this.#binding),
    };
  }
}

/** The context of one request. Asks the client by request (legacy revisions) or by result (2026-07-28). */
export class RequestContext implements Context {
  readonly actor: Actor;
  readonly client: Client;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly #inProgress: RequestInProgress;
  readonly #session: Connection;
  readonly #request: RequestMessage;
  /** Whether the request is of revision 2026-07-28. */
  readonly isModern: boolean;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #answers: Answers = {};

  constructor(session: Connection, request: RequestMessage, client: Client, inProgress: RequestInProgress) {
    this.actor = session.surface.access.actor;
    this.#session = session;
    this.#request = request;
    this.client = client;
    this.#inProgress = inProgress;
    this.meta = isObject(request.params['_meta']) ? request.params['_meta'] : {};
    this.isModern = client.protocolVersion === modernVersion;
  }

  get signal(): AbortSignal {
    return this.#inProgress.signal;
  }

  get isPersonal(): boolean {
    return this.#session.surface.access.isPersonal;
  }

  progress(progress: number, total?: number, message?: string): void {
    const progressToken = this.meta['progressToken'];
    if (
      (typeof progressToken !== 'string' && typeof progressToken !== 'number') ||
      progress <= this.#lastProgress
    )
      return;
    this.#lastProgress = progress;
    this.#notify('notifications/progress', {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  }

  log(level: ProtocolLogLevel, data: unknown, logger?: string): void {
    if (!('logging' in this.#session.surface.capabilities)) return;
    const threshold = this.isModern ? this.meta[metaKeys.logLevel] : this.#session.logLevel;
    const minimum = protocolLogLevels.indexOf(threshold as ProtocolLogLevel);
    if (minimum < 0 || protocolLogLevels.indexOf(level) < minimum) return;
    this.#notify('notifications/message', {
      level,
      ...(logger !== undefined && { logger }),
      data: data as JsonObject,
    });
  }

  can(capability: AskCapability): boolean {
    const reachable = this.isModern ? askable.has(this.#request.method) : this.#session.canAsk;
    const declared = this.client.capabilities[capability];
    if (!reachable || !isObject(declared)) return false;
    // Questions are forms. A client that declares only `url` cannot show them.
    return capability !== 'elicitation' || 'form' in declared || !('url' in declared);
  }

  /** True if the request carries answers of earlier rounds. */
  get isResumed(): boolean {
    const { method, params } = this.#request;
    return (
      askable.has(method) && (params['inputResponses'] !== undefined || params['requestState'] !== undefined)
    );
  }

  /** Restores the answers of earlier rounds from the request, before the handler runs. */
  async resume(): Promise<void> {
    const { inputResponses, requestState } = this.#request.params;
    const carried =
      requestState === undefined ? {} : (await this.#session.server.seal).open(requestState, this.#binding);
    const received = Object.entries(isObject(inputResponses) ? inputResponses : {});
    this.#answers = { ...carried, ...Object.fromEntries(received.filter(isAnswer)) };
  }

  async ask(requests: Readonly<Record<string, AskRequest>>, withdrawn?: AbortSignal): Promise<Answers> {
    for (const { method } of Object.values(requests)) {
      const capability = capabilityOf[method];
      if (this.can(capability)) continue;
      throw new Failure('capability-missing', `The client lacks the capability "${capability}".`, {
        data: { requiredCapabilities: { [capability]: {} } },
      });
    }
    return this.isModern ? this.#askByResult(requests) : this.#askByRequest(requests, withdrawn);
  }

  async #askByRequest(
    requests: Readonly<Record<string, AskRequest>>,
    withdrawn?: AbortSignal,
  ): Promise<Answers> {
    const signal = withdrawn === undefined ? this.signal : AbortSignal.any([this.signal, withdrawn]);
    const entries = Object.entries(requests).map(async ([key, { method, params }]) => {
      const answer = await this.#session.request(method, params as JsonObject, this.#request.id, signal);
      return [key, isObject(answer) ? answer : {}] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async #askByResult(requests: Readonly<Record<string, AskRequest>>): Promise<Answers> {
    const known = this.#answers;
    const missing = Object.fromEntries(
      Object.entries(requests).filter(([key]) => !Object.hasOwn(known, key)),
    );
    if (Object.keys(missing).length > 0) throw new InputRequired(missing, known, this.#binding);
    return known;
  }

  /** Binds the signed state to this request and actor, so that it cannot be used for another one. */
  get #binding(): JsonObject {
    const { inputResponses, requestState, _meta, ...params } = this.#request.params;
    return { method: this.#request.method, actor: identityOf(this.actor), params: params as JsonObject };
  }

  #notify(method: string, params: JsonObject): void {
    this.#session.send(notification(method, params), this.#request.id);
  }
}

function isAnswer(entry: [string, unknown]): entry is [string, Record<string, unknown>] {
  return isObject(entry[1]);
}

/** Copies a context and replaces some of its fields. Calls still go to the original. */
export function deriveContext<Extra extends object>(context: Context, extra: Extra): Context & Extra {
  return {
    actor: context.actor,
    get signal() {
      return context.signal;
    },
    client: context.client,
    isPersonal: context.isPersonal ?? false,
    meta: context.meta,
    progress: (...given) => context.progress(...given),
    log: (...given) => context.log(...given),
    can: (capability) => context.can(capability),
    ask: (...given) => context.ask(...given),
    ...extra,
  };
}

/** Context of a call that the program makes itself: no client is connected, so nobody can be asked. */
export function internalContext(signal = new AbortController().signal): Context {
  return {
    actor: owner,
    signal,
    client: { name: 'adjutant', version: '', protocolVersion: '', capabilities: {} },
    meta: {},
    progress: () => {},
    log: () => {},
    can: () => false,
    ask: () => Promise.reject(new Failure('capability-missing', 'No client is connected to ask.')),
  };
}
