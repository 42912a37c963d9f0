// Lets three writers race on real CalDAV servers, and edits the corpus there. `npm run prove -- caldav [RACES]`
import { editCorpus, proofServers, race } from '../caldav/proof.ts';

const races = Number(process.argv[2] ?? 40);
let failed = false;
console.log(
  '| server | races | changes written | refused as conflicts | lost | objects edited | other properties | damaged |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, { isInstalled, start }] of Object.entries(proofServers)) {
  if (!isInstalled) {
    console.log(`| ${name} | skipped: not installed; apt-get install ${name.toLowerCase()} |`);
    continue;
  }
  const server = await start();
  try {
    const edited = await editCorpus(server);
    const raced = await race(server, races);
    const row = [
      raced.races,
      raced.succeeded,
      raced.refused,
      raced.lost.length,
      edited.objects,
      edited.foreign,
    ];
    console.log(`| ${name} | ${row.join(' | ')} | ${edited.damaged.length} |`);
    for (const problem of [...raced.lost, ...edited.damaged]) console.error(`${name}: ${problem}`);
    for (const problem of edited.rejected) console.error(`${name} does not accept ${problem}`);
    failed ||= raced.lost.length > 0 || edited.damaged.length > 0 || edited.objects < 100;
  } finally {
    await server.close();
  }
}
process.exitCode = failed ? 1 : 0;
