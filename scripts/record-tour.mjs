// Records `adjutant demo --tour` as docs/images/tour.svg, an animation that browsers play without a script.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [columns, rows, lineHeight, charWidth] = [102, 26, 18, 7.9];
/** Seconds that a line is shown before the next one appears. A command line is read longer. */
const seconds = { command: 1.2, heading: 3, other: 0.15 };

const text = await new Promise((resolve, reject) => {
  const tour = spawn(process.execPath, ['dist/adjutant.cjs', 'demo', '--tour'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  tour.stdout.setEncoding('utf8').on('data', (part) => {
    output += part;
  });
  tour.on('close', (code) =>
    code === 0 ? resolve(output) : reject(new Error(`the tour ended with code ${code}`)),
  );
});

const lines = text.trimEnd().split('\n').flatMap(wrap);

/** Breaks a line after a word, as far as it has words. */
function wrap(line) {
  const pattern = new RegExp(`.{1,${columns}}(?:\\s|$)|.{${columns}}`, 'g');
  return line === '' ? [''] : line.match(pattern).map((part) => part.trimEnd());
}

function kindOf(line) {
  if (line.startsWith('$ ')) return 'command';
  return /^[A-Z-]{4,}\. /.test(line) ? 'heading' : 'other';
}

const escaped = (line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
let time = 0.5;
const shown = [];
const scrolls = [];
for (const [index, line] of lines.entries()) {
  const kind = kindOf(line);
  const at = time.toFixed(2);
  shown.push(
    `<text class="${kind}" y="${(index + 1) * lineHeight}" visibility="hidden" xml:space="preserve">${escaped(line)}<set attributeName="visibility" to="visible" begin="${at}s"/></text>`,
  );
  const hidden = Math.max(0, index + 1 - rows);
  if (hidden > 0)
    // <set> cannot animate a transform, so the scrolling is a motion that takes no time.
    scrolls.push(
      `<animateTransform attributeName="transform" type="translate" to="0 ${-hidden * lineHeight}" begin="${at}s" dur="0.01s" fill="freeze"/>`,
    );
  time += seconds[kind];
}

const [width, height] = [Math.ceil(columns * charWidth) + 32, rows * lineHeight + 32];
writeFileSync(
  'docs/images/tour.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A tour of Adjutant in a terminal">
<style>text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d5d9e0 } .command { fill: #7ee0a1 } .heading { fill: #ffd479 }</style>
<rect width="100%" height="100%" rx="8" fill="#15181e"/>
<svg x="16" y="12" width="${width - 32}" height="${rows * lineHeight + 6}"><g>${scrolls.join('')}
${shown.join('\n')}
</g></svg>
</svg>
`,
);
process.stdout.write(`docs/images/tour.svg: ${lines.length} lines, ${Math.round(time)} seconds\n`);
