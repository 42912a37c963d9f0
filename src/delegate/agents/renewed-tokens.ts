import { promises as disk } from 'node:fs';
import { replaceFile } from '../../atomic-file.ts';
import { isObject, type JsonObject, parseObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { SignInFile } from './acp-definition.ts';

const maxBytes = 256 * 1024;

/**
 * Keeps the tokens that an agent has renewed in its view of its sign-in: the old ones can be void. Everything else in the file
 * stays as it is, because the agent may have added an account or an address that its next start would trust.
 */
export async function keepRenewedTokens(
  file: string,
  changed: string,
  { fields }: Pick<SignInFile, 'fields'>,
): Promise<void> {
  if (!(await disk.lstat(changed).catch(() => undefined))?.isFile()) return;
  const [own, renewed] = await Promise.all(
    [file, changed].map(async (path) => parseObject(await readRegularFile(path, maxBytes).catch(() => ''))),
  );
  if (own === undefined || renewed === undefined) return;
  const merged = withTokens(own as JsonObject, renewed as JsonObject, new Set(fields));
  const text = JSON.stringify(merged, null, 2);
  if (text !== JSON.stringify(own, null, 2)) replaceFile(await disk.realpath(file), text);
}

function withTokens(own: JsonObject, renewed: JsonObject, fields: ReadonlySet<string>): JsonObject {
  const entries = Object.entries(own).map(([name, value]) => {
    const other = Object.hasOwn(renewed, name) ? renewed[name] : undefined;
    if (isObject(value) && isObject(other))
      return [name, withTokens(value as JsonObject, other as JsonObject, fields)];
    const isToken = fields.has(name) && (typeof value === 'string' || typeof value === 'number');
    return [name, isToken && typeof other === typeof value ? other : value];
  });
  return Object.fromEntries(entries);
}
