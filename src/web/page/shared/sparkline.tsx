/** The latest durations as a line, the slowest at the top. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(...values, 0.001);
  const points = values
    .map((value, index) => `${(index / Math.max(1, values.length - 1)) * 100},${19 - (value / most) * 18}`)
    .join(' ');
  return (
    <svg
      class="sparkline"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`latest durations, at most ${milliseconds(most)}`}
    >
      <polyline points={points} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString()} ms`;
}
