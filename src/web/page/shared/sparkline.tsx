/** A line chart of recent durations, scaled to the slowest one. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const max = Math.max(...values, 0.001);
  const points = values
    .map((value, index) => `${(index / Math.max(1, values.length - 1)) * 100},${19 - (value / max) * 18}`)
    .join(' ');
  return (
    <svg
      class="sparkline"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`recent durations, at most ${milliseconds(max)}`}
    >
      <polyline points={points} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString()} ms`;
}
