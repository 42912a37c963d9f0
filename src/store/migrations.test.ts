import { expect, it } from 'vitest';
import { logSchema, migrations } from './migrations.ts';

it('a database with the schema of the security log has everything that the log of this version uses', () => {
  const later = migrations.slice(logSchema).flat();
  expect(
    later.filter((statement) => /\b(?:activity|activity_logs|schema_version)\b/.test(statement)),
  ).toEqual([]);
});
