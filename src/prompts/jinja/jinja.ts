import type { Environment } from 'minijinja-js';
import { unsupportedConstructs } from '../template/dialect.ts';
import { resolveReferences } from '../template/template-references.ts';
import { installFilters } from './filters.ts';
import { EngineStopped, environmentOf, freeEnvironment, guarded } from './jinja-engine.ts';
import { withOptionalSlices } from './optional-slices.ts';
import { costOf, type TemplateCost } from './template-cost.ts';
import { type ParsedTemplateError, parseTemplateError, TemplateError } from './template-error.ts';

export interface JinjaLimits {
  /** Steps of one rendering. */
  readonly fuel: number;
  readonly milliseconds: number;
}

/** Characters of all arguments that even repeated as often as the fuel lasts take no time worth mentioning. */
const shortArguments = 10_000;

const longSource = 20_000;

const defaults: JinjaLimits = { fuel: 100_000, milliseconds: 2000 };

/**
 * A set of templates that can include, import and extend one another, and nothing else. Names end in `.md` or `.txt`: others
 * may turn on escaping. What is undefined prints as nothing.
 */
export class Jinja {
  readonly #limits: JinjaLimits;
  readonly #sources = new Map<string, string>();
  readonly #costs = new Map<string, TemplateCost>();

  constructor(limits: Partial<JinjaLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Throws TemplateError where the template is wrong; what was there under the name stays. */
  set(name: string, source: string): void {
    if (this.#sources.get(name) === source) return;
    const [refused] = unsupportedConstructs(source);
    if (refused !== undefined) throw new TemplateError(name, refused.message, refused.line, refused.column);
    const environment = this.#environment;
    try {
      // Compiling takes time in proportion to the text, so a clock is for long ones.
      const limit = source.length < longSource ? undefined : this.#limits.milliseconds;
      guarded(limit, () => environment.addTemplate(name, prepared(name, source)));
    } catch (error) {
      throw this.#explain(name, error, source).error;
    }
    this.#sources.set(name, source);
    this.#costs.set(name, costOf(source));
  }

  /** Throws TemplateError with the template and line at fault, never with an argument's value. */
  render(name: string, args: Readonly<Record<string, unknown>>): string {
    return this.#render(name, args, new Set([name]));
  }

  close(): void {
    freeEnvironment(this);
    this.#sources.clear();
    this.#costs.clear();
  }

  #render(name: string, args: Readonly<Record<string, unknown>>, blamed: Set<string>): string {
    const environment = this.#environment;
    // What is absent must be absent: null and undefined would print as "none".
    const context = Object.fromEntries(Object.entries(args).filter(([, value]) => value != null));
    try {
      const limit = this.#isCheap(name, context) ? undefined : this.#limits.milliseconds;
      return guarded(limit, () => environment.renderTemplate(name, context));
    } catch (error) {
      const { included, error: explained } = this.#explain(name, error, this.#sources.get(name) ?? '');
      // Of an error in an included template only the place of the include is told; alone, it tells its own.
      if (included !== undefined && blamed.has(included))
        throw new TemplateError(
          explained.template,
          `${included} includes itself`,
          explained.line,
          explained.column,
        );
      if (included !== undefined) this.#render(included, context, blamed.add(included));
      throw explained;
    }
  }

  /** Fuel alone is enough where no step of a rendering can take long. */
  #isCheap(name: string, context: Readonly<Record<string, unknown>>): boolean {
    if (this.#costs.get(name) === 'small') return true;
    if ([...this.#costs.values()].includes('unknown')) return false;
    const given = Object.values(context);
    return (
      given.every((value) => typeof value === 'string') &&
      given.reduce((length, value) => length + value.length, 0) < shortArguments
    );
  }

  get #environment(): Environment {
    return environmentOf(this, (environment) => {
      environment.undefinedBehavior = 'chainable';
      environment.fuel = this.#limits.fuel;
      // Only for the place of an error; what it says of values never leaves the parser of errors.
      environment.debug = true;
      environment.enablePyCompat();
      environment.removeGlobal('debug');
      installFilters(environment);
      for (const [name, source] of this.#sources) environment.addTemplate(name, prepared(name, source));
    });
  }

  #explain(name: string, error: unknown, source: string): ParsedTemplateError {
    if (error instanceof EngineStopped)
      return { error: new TemplateError(name, `the template ${error.message}`), included: undefined };
    if (!(error instanceof Error)) throw error;
    return parseTemplateError(name, error.message, (template) =>
      prepared(template, template === name ? source : (this.#sources.get(template) ?? '')),
    );
  }
}

/** What the engine is given. Lines stay where they are. */
function prepared(name: string, source: string): string {
  return withOptionalSlices(resolveReferences(name, source));
}
