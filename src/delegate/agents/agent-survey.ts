import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../json.ts';
import type { ValueOf } from '../../tool.ts';
import { type Containment, canScopeSockets, hasNamespaces } from '../process/containment.ts';
import { describeAbstractSockets } from '../process/private-files.ts';
import type { Agent, Credentials } from './agent.ts';

const nullableText = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;

/** What a user wants to know about an agent before choosing it. */
export const surveySchema = {
  type: 'object',
  required: ['name', 'program', 'version', 'signed_in', 'can', 'sandbox'],
  properties: {
    name: { type: 'string' },
    /** `null` if it is not installed. */
    program: nullableText,
    version: nullableText,
    signed_in: { anyOf: [{ type: 'boolean' }, { type: 'null' }], description: 'null: unknown' },
    can: { type: 'array', items: { type: 'string' } },
    sandbox: { enum: ['own', 'adjutant'], description: 'Who limits its commands' },
    hint: { type: 'string', description: 'What to do before it can be used' },
  },
} as const;

interface SurveyPlaces {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly containment?: Containment | 'auto';
}

/** What makes namespaces work on a machine that has them. */
const namespaceRemedy =
  'install util-linux (unshare, setpriv, mount) and allow unprivileged user namespaces (kernel.apparmor_restrict_unprivileged_userns=0), see docs/guides/troubleshooting.md';

/** Finds out whether the sandbox that Adjutant puts around every agent works here. The agents' own are checked with them. */
export async function surveySandbox(
  all: readonly Agent[],
  { env, containment }: SurveyPlaces,
): Promise<{ readonly detail: string; readonly remedy?: string }> {
  const refused = all.filter(({ profile }) => profile.sandbox === 'adjutant').map(({ name }) => name);
  if (await hasNamespaces(env, containment)) {
    const detail = "works: agents do not see your keys, Adjutant's own files and other runs";
    const sockets = (await canScopeSockets(env)) ? undefined : await describeAbstractSockets();
    if (sockets === undefined) return { detail };
    return {
      detail: `${detail}, but ${refused.join(', ')} can reach the programs that listen on ${sockets}`,
      remedy:
        'update to Linux 6.12, run codex or claude, whose own sandboxes close the network, or stop these programs (X servers: -nolisten local)',
    };
  }
  return {
    detail: `Linux namespaces do not work here, so nothing but the sandboxes of codex and claude themselves limits runs, and runs of ${refused.join(', ')} are refused`,
    remedy: namespaceRemedy,
  };
}

/** Finds out whether an agent can be used. */
export async function surveyAgent(agent: Agent, places: SurveyPlaces): Promise<ValueOf<typeof surveySchema>> {
  const { name, profile } = agent;
  const { can, sandbox } = profile;
  const program = await agent.locate().catch((error: unknown) => ({ problem: messageOf(error) }));
  if (typeof program !== 'string')
    return { name, program: null, version: null, signed_in: null, can, sandbox, hint: program.problem };
  const version = (await agent.version().catch(() => undefined)) ?? null;
  const { isSignedIn, remedy } = (await agent.login?.()) ?? findLogin(profile.credentials, places);
  const needs = (await agent.missing?.()) ?? [];
  const isRefused = sandbox === 'adjutant' && !(await hasNamespaces(places.env, places.containment));
  const hints = [
    remedy,
    versionHint(agent, program, version),
    ...needs,
    ...(isRefused ? [`every run in a sandbox is refused here: ${namespaceRemedy}`] : []),
  ].filter((one) => one !== undefined);
  const hint = hints.length > 0 ? { hint: hints.join('; ') } : {};
  return { name, program, version, signed_in: isSignedIn, can, sandbox, ...hint };
}

/** What to do about a program that is too old, or that is perhaps another one. */
export function versionHint(
  { name, label, testedVersion }: Agent,
  program: string,
  version: string | null,
): string | undefined {
  // Nothing is known about the versions of agents in the settings.
  if (testedVersion === '') return undefined;
  if (version === null) return `check that ${program} is ${label}: it reports no version`;
  return isOlder(version, testedVersion)
    ? `update ${name}: ${version} is older than ${testedVersion}, with which Adjutant was tested`
    : undefined;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

/** Looks for credentials in files and variables. `isSignedIn` is `null` if they can also be elsewhere. */
export function findLogin(
  credentials: Credentials | undefined,
  { userHome, env }: SurveyPlaces,
): { readonly isSignedIn: boolean | null; readonly remedy?: string } {
  if (credentials === undefined) return { isSignedIn: null };
  const { files, variables, isComplete, signIn } = credentials;
  const isFound =
    files.some((file) => existsSync(resolve(userHome, file))) || variables.some((variable) => env[variable]);
  if (isFound) return { isSignedIn: true };
  return isComplete ? { isSignedIn: false, remedy: signIn } : { isSignedIn: null };
}
