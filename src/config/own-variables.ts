import { type Environment, names, table } from './given.ts';

/** Variables that other programs read, too, and that are not Adjutant's to take away. */
function isOwn(variable: string): boolean {
  return (
    variable.startsWith('ADJUTANT_') ||
    names.some((name) => (table[name]!.aliases ?? []).some(({ env, shared }) => env === variable && !shared))
  );
}

/** The environment for programs that Adjutant starts: its own settings and secrets are not for them. */
export function withoutOwnVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !isOwn(variable.toUpperCase())));
}
