import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantTree } from '../../../test/tree.ts';
import { readFiles } from './file-source.ts';

it('does not block on a named pipe that replaced the calendar file', async () => {
  const folder = plantTree({ 'work.ics': 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' });
  const location = join(folder, 'work.ics');
  const found = await readFiles({ location, etag: null } as never, { maxBytes: 1_000_000 } as never);
  rmSync(location);
  execFileSync('mkfifo', [location]);
  const reading = async () => {
    for await (const { pieces } of found!.documents) for await (const _ of pieces);
  };
  await expect(reading()).rejects.toThrow('it is a named pipe, not a regular file');
});
