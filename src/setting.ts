import type { ContractName } from './contracts/contract.ts';
import type { JsonSchema } from './json.ts';

/** The standard folders that defaults are built from. */
export interface Places {
  /** The folder given with --home, which holds everything. */
  readonly home: string | undefined;
  readonly userHome: string;
  /** The platform's folders for a user's data, settings and state. */
  readonly data: string;
  readonly settings: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The drop-in contracts keep the places of the servers that they replace. */
  readonly contract: string;
}

interface DescribedSetting {
  readonly description: string;
  /** Names that the servers Adjutant replaces use for this setting. */
  readonly aliases?: readonly Alias[];
}

export interface Alias {
  readonly flag?: string;
  readonly env?: string;
  /** Other programs read this variable too, so programs that Adjutant starts inherit it. */
  readonly shared?: boolean;
  /** The contracts for which the alias is valid. Default: all. */
  readonly contracts?: readonly ContractName[];
}

type Default<Value> = Value | ((places: Places) => Value);

/** One entry of the configuration. Its TOML key, variable and flag follow from its name. */
export type Setting = DescribedSetting &
  (
    | { readonly type: 'string' | 'path'; readonly default?: Default<string | undefined> }
    | {
        readonly type: 'address';
        /** Allowed URL schemes, without `://`. */
        readonly schemes: readonly string[];
        readonly default?: Default<string | undefined>;
      }
    | {
        readonly type: 'integer';
        readonly default?: Default<number | undefined>;
        readonly minimum?: number;
        readonly maximum?: number;
      }
    | { readonly type: 'boolean'; readonly default?: Default<boolean | undefined> }
    | {
        readonly type: 'list';
        /** The items are paths, relative to the file. */
        readonly paths?: boolean;
        /** Allowed items, if they are a fixed set. */
        readonly values?: readonly string[];
        /** What items of earlier versions mean now. */
        readonly successors?: ReadonlyMap<string, string>;
        readonly default?: Default<readonly string[]>;
      }
    | {
        readonly type: 'choice';
        readonly values: readonly string[];
        readonly default?: Default<string | undefined>;
      }
    /** A structured value that only the file can hold, validated against a schema. */
    | {
        readonly type: 'structure';
        readonly schema: JsonSchema;
        /** Keys of the list items whose values are paths, relative to the file. */
        readonly paths?: readonly string[];
        readonly default?: Default<unknown>;
      }
  );

/** A setting of an earlier version. It is accepted with a warning, so that an old configuration does not stop the start. */
export interface RemovedSetting {
  readonly type: Setting['type'];
  /** Why it is not needed, or what to use instead. */
  readonly reason: string;
}

export type Settings = Readonly<Record<string, Setting>>;

type Plain<One extends Setting> = One extends { type: 'integer' }
  ? number
  : One extends { type: 'boolean' }
    ? boolean
    : One extends { type: 'list' }
      ? readonly string[]
      : One extends { type: 'choice'; values: readonly (infer Choice)[] }
        ? Choice
        : One extends { type: 'structure' }
          ? unknown
          : string;

export type ValueOf<One extends Setting> = One extends { default: infer Given }
  ? undefined extends (Given extends (places: Places) => infer Result ? Result : Given)
    ? Plain<One> | undefined
    : Plain<One>
  : Plain<One> | undefined;

export type ValuesOf<All extends Settings> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/** Declares a table of settings and keeps its literal types. */
export function defineSettings<const All extends Settings>(settings: All): All {
  return settings;
}

export function flagName(name: string): string {
  return name.replaceAll(/[._]/g, '-');
}

export function variableName(name: string): string {
  return `ADJUTANT_${name.replaceAll('.', '_').toUpperCase()}`;
}
