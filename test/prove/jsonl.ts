// Several processes change one user.jsonl at the same time and are killed while they write. No confirmed change may be lost.
import { proveConcurrency, proveImportKills, proveKills } from '../prompts/jsonl-proof.ts';

const [processes = 8, changes = 500, kills = 200, imports = 50] = process.argv.slice(2).map(Number);

console.log(`${processes} processes with ${changes} changes each, while another process reads:`);
console.log(await proveConcurrency(processes, changes));
console.log(`${kills} writers killed at random times, three running at a time:`);
console.log(await proveKills(kills));
console.log(`${imports} imports of thousands of prompts, killed while they write:`);
console.log(await proveImportKills(imports));
console.log(
  'Every confirmed change is present, every line is valid, and every import contains only complete batches.',
);
