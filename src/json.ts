export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
/** A JSON Schema written as a literal. TypeBox's `XStatic` infers its type. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON object. Returns `undefined` for invalid JSON and for other values. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
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
