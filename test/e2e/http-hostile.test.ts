import { expect, it } from 'vitest';
import { proveHttp } from '../prove/http.ts';
import { httpCases } from '../prove/parts/http-cases.ts';

it.runIf(process.platform === 'linux')(
  'denied and hostile requests are refused, use no memory afterwards, and others are served meanwhile',
  { timeout: 120_000 },
  async () => {
    const cases = httpCases.map((one) => ({ ...one, count: 8 }));
    const { findings, peakMb } = await proveHttp(8, cases);
    expect(findings.map(({ name, problem }) => [name, problem])).toEqual(
      httpCases.map(({ name }) => [name, undefined]),
    );
    expect(peakMb).toBeLessThan(600);
  },
);
