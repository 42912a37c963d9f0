// Tests delivery while workers are killed, connections are cut and the database crashes. Every notification must arrive.
// A notification may arrive twice only if the failure happened after its acceptance and before its outcome was recorded.
import { parseArgs } from 'node:util';
import { type DeliveryResult, type DeliveryTest, proveDelivery } from './parts/delivery-proof.ts';

const { values } = parseArgs({
  options: { notifications: { type: 'string', default: '20000' }, only: { type: 'string', default: '' } },
});
const common = { notifications: Number(values.notifications), workers: 4, timeoutMs: 600_000 } as const;
const tests: Readonly<Record<string, DeliveryTest>> = {
  'SQLite, workers killed': { ...common, engine: 'sqlite', arrivalsBetween: [100, 900], faults: ['kill'] },
  'PostgreSQL, workers killed': {
    ...common,
    engine: 'postgres',
    arrivalsBetween: [100, 900],
    faults: ['kill'],
  },
  'PostgreSQL, connections cut': {
    ...common,
    engine: 'postgres',
    arrivalsBetween: [100, 900],
    faults: ['cut'],
  },
  'PostgreSQL, all faults': {
    ...common,
    engine: 'postgres',
    arrivalsBetween: [100, 900],
    faults: ['kill', 'cut', 'cut', 'crash'],
  },
};

const results: Record<string, DeliveryResult> = {};
for (const [name, test] of Object.entries(tests)) {
  if (!name.includes(values.only)) continue;
  const result = await proveDelivery(test);
  results[name] = result;
  console.log(name, result);
}
const broken = Object.values(results).filter(
  ({ notifications, delivered, recorded, repeatedOutside }) =>
    delivered !== notifications || recorded !== notifications || repeatedOutside > 0,
);
console.log(
  broken.length === 0 ? 'Every notification arrived, and none was repeated after it was recorded.' : 'FAILED',
);
process.exitCode = broken.length === 0 ? 0 : 1;
