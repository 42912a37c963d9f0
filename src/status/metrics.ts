import type { Metric } from '../feature.ts';
import { countUnhandledRejections } from '../log.ts';
import { version } from '../version.ts';

const prefix = 'adjutant_';

/** What the process says about itself. */
export function processMetrics(): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const gauge = (name: string, help: string, value: number): Metric => ({ name, help, type: 'gauge', value });
  return [
    { ...gauge('build_info', 'Always 1; the label is the version', 1), labels: { version } },
    gauge('uptime_seconds', 'Time since the start of the process', Math.round(process.uptime())),
    gauge('memory_bytes', 'Resident memory', rss),
    gauge('heap_bytes', 'Used heap', heapUsed),
    {
      name: 'cpu_seconds_total',
      help: 'CPU time of the process',
      type: 'counter',
      value: (user + system) / 1e6,
    },
    {
      name: 'unhandled_rejections_total',
      help: 'Bugs that the log describes',
      type: 'counter',
      value: countUnhandledRejections(),
    },
  ];
}

/** The text format of Prometheus. Metrics of one name are written together. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines: string[] = [];
  for (const [name, group] of Map.groupBy(metrics, (metric) => prefix + metric.name)) {
    const [{ help, type }] = group as [Metric];
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels = {}, value } of group) {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
      lines.push(`${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
