import type { Environment } from 'minijinja-js';
import { unsupportedConstructs } from '../template/dialect.ts';
import { templateLabel } from '../template/prompt-references.ts';
import { resolveReferences } from '../template/template-references.ts';
import { installFilters } from './filters.ts';
import { EngineStopped, environmentOf, freeEnvironment, runGuarded } from './jinja-engine.ts';
import { withCountedLoops } from './loop-items.ts';
import { withOptionalSlices } from './optional-slices.ts';
import { costOf, type TemplateCost } from './template-cost.ts';
import { type ParsedTemplateError, parseTemplateError, TemplateError } from './template-error.ts';

export interface JinjaLimits {
  /** Maximum number of steps per rendering. */
  readonly fuel: number;
  readonly milliseconds: number;
}

/** Arguments shorter than this in total render quickly even if the template repeats them until the fuel is used up. */
const shortArgumentsLength = 10_000;

const longSourceLength = 20_000;

const defaults: JinjaLimits = { fuel: 100_000, milliseconds: 2000 };

/**
 * A set of templates that can include, import and extend only one another. Names must end in `.md` or `.txt`, because the
 * engine may enable escaping for other extensions. Undefined values print as nothing.
 */
export class Jinja {
  readonly #limits: JinjaLimits;
  readonly #sources = new Map<string, string>();
  readonly #costs = new Map<string, TemplateCost>();

  constructor(limits: Partial<JinjaLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Adds or replaces a template. Throws TemplateError if it is invalid, and keeps the previous version. */
  set(name: string, source: string): void {
    if (this.#sources.get(name) === source) return;
    const [refused] = unsupportedConstructs(source);
    if (refused !== undefined) throw new TemplateError(name, refused.message, refused.line, refused.column);
    const environment = this.#environment;
    try {
      // Compile time grows with the length of the source, so only long sources need a time limit.
      const limit = source.length < longSourceLength ? undefined : this.#limits.milliseconds;
      runGuarded(limit, () => environment.addTemplate(name, prepared(name, source)));
    } catch (error) {
      throw this.#explain(name, error, source).error;
    }
    this.#sources.set(name, source);
    this.#costs.set(name, costOf(source));
  }

  /** Throws TemplateError with the failing template and line. The message never contains an argument's value. */
  render(name: string, args: Readonly<Record<string, unknown>>): string {
    return this.#render(name, args, new Set([name]));
  }

  close(): void {
    freeEnvironment(this);
    this.#sources.clear();
    this.#costs.clear();
  }

  #render(name: string, args: Readonly<Record<string, unknown>>, failedIncludes: Set<string>): string {
    const environment = this.#environment;
    // Remove absent arguments, because the engine prints null and undefined as "none".
    const context = Object.fromEntries(Object.entries(args).filter(([, value]) => value != null));
    try {
      const limit = this.#isCheap(name, context) ? undefined : this.#limits.milliseconds;
      return runGuarded(limit, () => environment.renderTemplate(name, context));
    } catch (error) {
      const { included, error: explained } = this.#explain(name, error, this.#sources.get(name) ?? '');
      // The engine reports only the position of the include. Render the included template alone to get the position of the error.
      if (included !== undefined && failedIncludes.has(included))
        throw new TemplateError(
          explained.template,
          `${templateLabel(included)} includes itself`,
          explained.line,
          explained.column,
        );
      if (included !== undefined) this.#render(included, context, failedIncludes.add(included));
      throw explained;
    }
  }

  /** Whether the fuel limit alone is enough because no single step can take long. */
  #isCheap(name: string, context: Readonly<Record<string, unknown>>): boolean {
    if (this.#costs.get(name) === 'small') return true;
    if ([...this.#costs.values()].includes('unknown')) return false;
    const given = Object.values(context);
    return (
      given.every((value) => typeof value === 'string') &&
      given.reduce((length, value) => length + value.length, 0) < shortArgumentsLength
    );
  }

  get #environment(): Environment {
    return environmentOf(this, (environment) => {
      environment.undefinedBehavior = 'chainable';
      environment.fuel = this.#limits.fuel;
      // Debug mode adds the position to errors. It also adds values, which parseTemplateError removes.
      environment.debug = true;
      environment.enablePyCompat();
      environment.removeGlobal('debug');
      installFilters(environment);
      for (const [name, source] of this.#sources) environment.addTemplate(name, prepared(name, source));
    });
  }

  #explain(name: string, error: unknown, source: string): ParsedTemplateError {
    if (error instanceof EngineStopped)
      return {
        error: new TemplateError(name, `the template ${error.message}`, undefined, undefined, error.isSlow),
        included: undefined,
      };
    if (!(error instanceof Error)) throw error;
    return parseTemplateError(name, error.message, (template) =>
      prepared(template, template === name ? source : (this.#sources.get(template) ?? '')),
    );
  }
}

/** The source passed to the engine. Line numbers stay the same. */
function prepared(name: string, source: string): string {
  return withOptionalSlices(withCountedLoops(resolveReferences(name, source)));
}
