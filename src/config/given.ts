import type { Alias, Setting, ValuesOf } from '../setting.ts';
import { settings } from '../settings.ts';

export type Config = ValuesOf<typeof settings>;
export type SettingName = keyof Config;

/** Something the person wrote is wrong; the message says where and what would be right. */
export class ConfigError extends Error {}

/** What somebody wrote for a setting, before it is looked at. */
export interface Given {
  readonly name: SettingName;
  readonly raw: unknown;
  readonly origin: string;
  /** What a relative path is relative to. */
  readonly folder: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const table: Readonly<Record<string, Setting>> = settings;
export const names = Object.keys(table) as SettingName[];

/** Whether a name that another server had for a setting is known here. */
export function counts(alias: Alias, contract: string): boolean {
  return alias.contracts === undefined || alias.contracts.some((name) => name === contract);
}

/** The end of a message about a name that is not known. */
export function suggest(candidate: string | undefined): string {
  return candidate === undefined ? '; run adjutant --help for what there is' : `; did you mean ${candidate}?`;
}
