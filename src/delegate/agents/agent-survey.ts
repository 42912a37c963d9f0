import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../json.ts';
import type { Agent, AgentProfile } from './agent.ts';

/** What a user wants to know about an agent before choosing it. */
export interface AgentSurvey {
  readonly name: string;
  /** The path of the program; `null` if it is not installed. */
  readonly program: string | null;
  readonly version: string | null;
  /** `null` if it cannot be known from files and variables. */
  readonly signed_in: boolean | null;
  readonly can: AgentProfile['can'];
  readonly sandbox: AgentProfile['sandbox'];
  /** What to do before the agent can be used. */
  readonly hint?: string;
}

interface SurveyPlaces {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Finds out whether an agent can be used. */
export async function surveyAgent(agent: Agent, places: SurveyPlaces): Promise<AgentSurvey> {
  const { name, profile } = agent;
  const { can, sandbox } = profile;
  const program = await agent.locate().catch((error: unknown) => ({ problem: messageOf(error) }));
  if (typeof program !== 'string')
    return { name, program: null, version: null, signed_in: null, can, sandbox, hint: program.problem };
  const version = (await agent.version().catch(() => undefined)) ?? null;
  const signed_in = isSignedIn(agent, places);
  const hint = signed_in === false ? profile.signIn : versionHint(agent, program, version);
  return { name, program, version, signed_in, can, sandbox, ...(hint !== undefined && { hint }) };
}

/** What to do about a program that is too old, or that is perhaps another one. */
function versionHint(
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

function isSignedIn({ profile }: Agent, { userHome, env }: SurveyPlaces): boolean | null {
  const { files, variables, isComplete } = profile.credentials;
  const isFound =
    files.some((file) => existsSync(resolve(userHome, file))) || variables.some((variable) => env[variable]);
  return isFound ? true : isComplete ? false : null;
}
