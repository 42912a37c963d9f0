import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { createContext } from 'node:vm';
import type { Environment } from 'minijinja-js';
import { callWithTimeout } from '../../threads/timed-script.ts';

interface Bindings {
  readonly Environment: typeof Environment;
  readonly __wasm: { readonly memory: { readonly buffer: ArrayBuffer } };
}

const pageBytes = 64 * 1024;
const maxMemoryBytes = 128 * 1024 * 1024;
/** An engine that uses more memory than this is replaced after the call, because WASM never releases memory. */
const maxKeptBytes = 48 * 1024 * 1024;

const sandbox = createContext({ work: undefined as (() => unknown) | undefined });

/** Environments are stored in their engine, so that dropping the engine frees them and its memory. */
interface Engine extends Bindings {
  readonly environments: WeakMap<object, Environment>;
}

let engine: Engine | undefined;

/** The owner's environment in the current engine. Created and set up on first use. */
export function environmentOf(owner: object, setUp: (environment: Environment) => void): Environment {
  engine ??= loadEngine();
  const known = engine.environments.get(owner);
  if (known !== undefined) return known;
  const environment = new engine.Environment();
  setUp(environment);
  engine.environments.set(owner, environment);
  return environment;
}

/** Must be called explicitly: the garbage collector does not free compiled templates. */
export function freeEnvironment(owner: object): void {
  engine?.environments.get(owner)?.free();
  engine?.environments.delete(owner);
}

/** The engine crashed or was stopped. */
export class EngineStopped extends Error {
  /** True if the time limit was exceeded. */
  readonly isSlow: boolean;
  constructor(message: string, isSlow: boolean) {
    super(message);
    this.isSlow = isSlow;
  }
}

/** Runs untrusted work with a time limit. If the engine breaks, the next call gets a new one. */
export function runGuarded<Value>(milliseconds: number | undefined, work: () => Value): Value {
  try {
    if (milliseconds === undefined) return work();
    // Keep the value outside the sandbox: objects of another realm are not instances of our classes.
    let value: Value | undefined;
    sandbox['work'] = () => {
      value = work();
    };
    callWithTimeout(sandbox, milliseconds);
    return value as Value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      engine = undefined;
      throw new EngineStopped(`took longer than ${milliseconds! / 1000} s`, true);
    }
    if (error instanceof Error && (error.name === 'RuntimeError' || error.name === 'RangeError')) {
      engine = undefined;
      throw new EngineStopped('exceeds the limit for memory or nesting', false);
    }
    throw error;
  } finally {
    sandbox['work'] = undefined;
    if (engine !== undefined && engine.__wasm.memory.buffer.byteLength > maxKeptBytes) engine = undefined;
  }
}

/** The module holds its WASM instance, so a new instance requires loading the module again. */
function loadEngine(): Engine {
  setFlagsFromString(`--wasm-max-mem-pages=${maxMemoryBytes / pageBytes}`);
  // Create a new loader each time, because a loader caches the modules it has loaded.
  const load = createRequire(join(import.meta.dirname, 'jinja-engine.js'));
  const path = locate(load);
  delete load.cache[path];
  return { ...(load(path) as Bindings), environments: new WeakMap() };
}

/** Finds the engine next to the bundle, or in its package when running from source. */
function locate(load: NodeJS.Require): string {
  try {
    return load.resolve('./minijinja-js/minijinja_js.cjs');
  } catch {
    return load.resolve('minijinja-js');
  }
}
