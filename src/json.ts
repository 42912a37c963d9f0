export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
/** A JSON Schema written as a literal. TypeBox's `XStatic` infers its type. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Missing<Value> = null extends Value ? true : undefined extends Value ? true : false;
type Present<Fields> = {
  [Name in keyof Fields as Missing<Fields[Name]> extends true ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as Missing<Fields[Name]> extends true ? Name : never]?: NonNullable<Fields[Name]>;
};

/** Copies an object without its null and undefined fields. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as Present<Fields>;
}
