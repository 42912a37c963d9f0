import { type Environment, names, table } from './raw-setting.ts';

let aliases: ReadonlySet<string | undefined> | undefined;

/** True for variables that only Adjutant reads. Aliases marked as shared belong to other programs too. */
function isOwn(variable: string): boolean {
  aliases ??= new Set(
    names.flatMap((name) =>
      (table[name]!.aliases ?? []).flatMap(({ env, shared }) => (shared ? [] : [env, `${env}_FILE`])),
    ),
  );
  return variable.startsWith('ADJUTANT_') || aliases.has(variable);
}

/** The environment for programs that Adjutant starts, without its own settings and secrets. */
export function withoutOwnVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !isOwn(variable.toUpperCase())));
}
