// Delivery under fire: workers killed without warning, connections cut, the database crashed. Every notification must
// arrive, and none twice but in the moment between acceptance and record.
import { parseArgs } from 'node:util';
import { type Figures, type Proof, proveDelivery } from '../delivery-proof.ts';

const { values } = parseArgs({
  options: { notifications: { type: 'string', default: '20000' }, only: { type: 'string', default: '' } },
});
const common = { notifications: Number(values.notifications), workers: 4, giveUpMs: 600_000 } as const;
const proofs: Readonly<Record<string, Proof>> = {
  'SQLite, workers killed': { ...common, engine: 'sqlite', between: [100, 900], blows: ['kill'] },
  'PostgreSQL, workers killed': { ...common, engine: 'postgres', between: [100, 900], blows: ['kill'] },
  'PostgreSQL, connections cut': { ...common, engine: 'postgres', between: [100, 900], blows: ['cut'] },
  'PostgreSQL, all of it': {
    ...common,
    engine: 'postgres',
    between: [100, 900],
    blows: ['kill', 'cut', 'cut', 'crash'],
  },
};

const results: Record<string, Figures> = {};
for (const [name, proof] of Object.entries(proofs)) {
  if (!name.includes(values.only)) continue;
  const figures = await proveDelivery(proof);
  results[name] = figures;
  console.log(name, figures);
}
const broken = Object.values(results).filter(
  ({ notifications, delivered, recorded, repeatedOutside }) =>
    delivered !== notifications || recorded !== notifications || repeatedOutside > 0,
);
console.log(broken.length === 0 ? 'Every notification arrived, none twice outside the window.' : 'BROKEN');
process.exitCode = broken.length === 0 ? 0 : 1;
