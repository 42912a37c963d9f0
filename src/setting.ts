import type { ContractName } from './contracts/contract.ts';
import type { JsonSchema } from './json.ts';

/** Where things lie when nobody says otherwise. */
export interface Places {
  /** The one folder that holds everything, if one was named. */
  readonly home: string | undefined;
  readonly userHome: string;
  /** Per-user data, settings and state of this platform. */
  readonly data: string;
  readonly settings: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Described {
  readonly description: string;
  /** Spellings of the servers Adjutant stands in for. */
  readonly aliases?: readonly Alias[];
}

export interface Alias {
  readonly flag?: string;
  readonly env?: string;
  /** The variable belongs to another program as well, so that programs started from here keep it. */
  readonly shared?: boolean;
  /** The contracts under which the alias counts; absent for all. */
  readonly contracts?: readonly ContractName[];
}

type Default<Value> = Value | ((places: Places) => Value);

/** One entry of the configuration. Its TOML key, variable and flag follow from its name. */
export type Setting = Described &
  (
    | { readonly type: 'string' | 'path'; readonly default?: Default<string | undefined> }
    | {
        readonly type: 'address';
        /** What it may begin with, without `://`. */
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
        readonly default?: Default<readonly string[]>;
      }
    | {
        readonly type: 'choice';
        readonly values: readonly string[];
        readonly default?: Default<string | undefined>;
      }
    /** A structure for the file only, checked against a schema. */
    | {
        readonly type: 'structure';
        readonly schema: JsonSchema;
        /** Keys of the items of a list that are paths, relative to the file. */
        readonly paths?: readonly string[];
        readonly default?: Default<unknown>;
      }
  );

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

/** Keeps the literal types of a table of settings. */
export function defineSettings<const All extends Settings>(settings: All): All {
  return settings;
}

export function flagOf(name: string): string {
  return name.replaceAll(/[._]/g, '-');
}

export function variableOf(name: string): string {
  return `ADJUTANT_${name.replaceAll('.', '_').toUpperCase()}`;
}
