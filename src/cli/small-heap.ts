/**
 * Keeps V8 from enlarging the heap under load. A server waits most of the time, and V8 returns memory late. Takes effect for
 * the whole process; loaded after the start, because `node:v8` is not needed for the first answer.
 */
export function keepHeapSmall(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
