import { type Environment, names, table } from './raw-setting.ts';

/** True for variables that only Adjutant reads. Aliases marked as shared belong to other programs too. */
function isOwn(variable: string): boolean {
  return (
    variable.startsWith('ADJUTANT_') ||
    names.some((name) => (table[name]!.aliases ?? []).some(({ env, shared }) => env === variable && !shared))
  );
}

/** The environment for programs that Adjutant starts, without its own settings and secrets. */
export function withoutOwnVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !isOwn(variable.toUpperCase())));
}
