// Many processes change one user.jsonl at once, and are killed while they do: nothing that was answered may be lost.
import { proveConcurrency, proveImportKills, proveKills } from '../test/prompts/jsonl-proof.ts';

const [processes = 8, changes = 500, kills = 200, imports = 50] = process.argv.slice(2).map(Number);

console.log(`${processes} processes, ${changes} changes each, others reading:`);
console.log(await proveConcurrency(processes, changes));
console.log(`${kills} writers killed at random moments, three at a time:`);
console.log(await proveKills(kills));
console.log(`${imports} imports of thousands of prompts killed while they write:`);
console.log(await proveImportKills(imports));
console.log(
  'Every answered change is there, every line can be read, of every import there are whole batches.',
);
