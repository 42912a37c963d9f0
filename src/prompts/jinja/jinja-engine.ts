import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { createContext, Script } from 'node:vm';
import type { Environment } from 'minijinja-js';

interface Bindings {
  readonly Environment: typeof Environment;
  readonly __wasm: { readonly memory: { readonly buffer: ArrayBuffer } };
}

const pageBytes = 64 * 1024;
const ceilingBytes = 128 * 1024 * 1024;
/** An engine that grew beyond this is replaced after the call: WASM never gives memory back. */
const keptBytes = 48 * 1024 * 1024;

const arena = createContext({ work: undefined as (() => unknown) | undefined });
const run = new Script('work()');

/** Environments belong to their engine, so that a dead engine takes them and its memory along. */
interface Engine extends Bindings {
  readonly environments: WeakMap<object, Environment>;
}

let engine: Engine | undefined;

/** The owner's environment in the engine of this moment, made and set up where there is none. */
export function environmentOf(owner: object, setUp: (environment: Environment) => void): Environment {
  engine ??= loadEngine();
  const known = engine.environments.get(owner);
  if (known !== undefined) return known;
  const environment = new engine.Environment();
  setUp(environment);
  engine.environments.set(owner, environment);
  return environment;
}

/** Compiled templates lie outside the reach of the garbage collector. */
export function freeEnvironment(owner: object): void {
  engine?.environments.get(owner)?.free();
  engine?.environments.delete(owner);
}

/** The engine died under the work, or was stopped. */
export class EngineStopped extends Error {}

/** Runs what may be hostile: for so long and no longer, and with a fresh engine afterwards when this one broke. */
export function guarded<Value>(milliseconds: number | undefined, work: () => Value): Value {
  try {
    if (milliseconds === undefined) return work();
    // An object of another realm would not be an instance of our classes, so the value stays on this side.
    let value: Value | undefined;
    arena['work'] = () => {
      value = work();
    };
    run.runInContext(arena, { timeout: milliseconds });
    return value as Value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      engine = undefined;
      throw new EngineStopped(`took longer than ${milliseconds! / 1000} s`);
    }
    if (error instanceof Error && (error.name === 'RuntimeError' || error.name === 'RangeError')) {
      engine = undefined;
      throw new EngineStopped('needs more memory or deeper nesting than it may use');
    }
    throw error;
  } finally {
    arena['work'] = undefined;
    if (engine !== undefined && engine.__wasm.memory.buffer.byteLength > keptBytes) engine = undefined;
  }
}

/** The module keeps its WASM instance in itself, so a fresh instance is a freshly loaded module. */
function loadEngine(): Engine {
  setFlagsFromString(`--wasm-max-mem-pages=${ceilingBytes / pageBytes}`);
  // A new loader each time: it holds on to what it has loaded.
  const load = createRequire(join(import.meta.dirname, 'jinja-engine.js'));
  const path = locate(load);
  delete load.cache[path];
  return { ...(load(path) as Bindings), environments: new WeakMap() };
}

/** Beside the bundle, or in its package. */
function locate(load: NodeJS.Require): string {
  try {
    return load.resolve('./minijinja-js/minijinja_js.cjs');
  } catch {
    return load.resolve('minijinja-js');
  }
}
