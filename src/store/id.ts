/** A UUID of version 7. It starts with the time, so rows created together are stored close together. */
export function newId(now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  bytes[0] = 0x70 | (bytes[0]! & 0x0f);
  bytes[2] = 0x80 | (bytes[2]! & 0x3f);
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const time = now.toString(16).padStart(12, '0');
  return [time.slice(0, 8), time.slice(8), random.slice(0, 4), random.slice(4, 8), random.slice(8)].join('-');
}
