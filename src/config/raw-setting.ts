import type { Alias, RemovedSetting, Setting, ValuesOf } from '../setting.ts';
import { removedSettings, settings } from '../settings.ts';

export type Config = ValuesOf<typeof settings>;
export type SettingName = keyof Config;

/** An invalid setting. The message names its source and suggests a correction. */
export class ConfigError extends Error {}

/** A flag that does not exist, as it was written. The command knows which one may be meant. */
export class UnknownFlag extends ConfigError {
  readonly flag: string;

  constructor(message: string, flag: string) {
    super(message);
    this.flag = flag;
  }
}

/** A value for a setting, before validation. */
export interface RawSetting {
  /** The name of a setting, or of a removed one. */
  readonly name: string;
  readonly raw: unknown;
  readonly origin: string;
  /** Base folder of a relative path. */
  readonly folder: string;
}

export type Removed = Readonly<Record<string, RemovedSetting>>;
export type Environment = Readonly<Record<string, string | undefined>>;

export const table: Readonly<Record<string, Setting>> = settings;
export const removedTable: Removed = removedSettings;
export const names = Object.keys(table) as SettingName[];

/** True if the alias is valid under the contract. */
export function isAliasValid(alias: Alias, contract: string): boolean {
  return alias.contracts === undefined || alias.contracts.some((name) => name === contract);
}

/** Ending of an error message about an unknown name. */
export function suggest(candidate: string | undefined): string {
  return candidate === undefined ? '; see docs/reference/configuration.md' : `; did you mean ${candidate}?`;
}
