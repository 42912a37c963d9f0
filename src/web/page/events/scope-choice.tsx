export const scopes = {
  one: 'Only this one',
  following: 'This and all later ones',
  all: 'All of the series',
} as const;
export type Scope = keyof typeof scopes;

interface Props {
  readonly chosen: Scope;
  /** What happens to the chosen ones, such as "Move". */
  readonly label: string;
  choose(scope: Scope): void;
}

/** Asks which dates of a series a change is for. */
export function ScopeChoice({ chosen, label, choose }: Props) {
  return (
    <fieldset class="scopes">
      <legend>{label}</legend>
      {(Object.keys(scopes) as Scope[]).map((scope) => (
        <label key={scope} class="inline">
          <input
            type="radio"
            name={`scope ${label}`}
            checked={chosen === scope}
            onChange={() => choose(scope)}
          />
          {scopes[scope]}
        </label>
      ))}
    </fieldset>
  );
}

/** The arguments of the tools for a choice. */
export function scopeArguments(
  occurrence: string | undefined,
  scope: Scope,
): { occurrence?: string; following?: boolean } {
  if (occurrence === undefined || scope === 'all') return {};
  return { occurrence, ...(scope === 'following' && { following: true }) };
}
