// Draws docs/grafana/distlock-dashboard.json with Grafana's own panels and a Prometheus that is given in the address:
// index.html?prometheus=http://127.0.0.1:9090&from=<seconds>&to=<seconds>&scrape=<seconds>
import '@fontsource/inter/latin-400.css';
import '@fontsource/inter/latin-500.css';
import 'uplot/dist/uPlot.min.css';
import { createTheme, ThemeContext } from '@grafana/data';
import { GlobalStyles, PanelChrome } from '@grafana/ui';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import dashboard from '../../docs/grafana/distlock-dashboard.json';
import './icons.js';
import { kinds } from './panels.jsx';
import { frames, moments } from './prometheus.js';

// Grafana's grid: 24 columns, rows of 30 pixels, 8 between.
const columns = 24;
const row = 30;
const gap = 8;

// Charts draw their texts once, with the fonts that are there.
const fonts = ['400 12px Inter', '500 12px Inter'];

const theme = createTheme({ colors: { mode: 'dark' } });
const columnWidth = (document.documentElement.clientWidth - gap) / columns;

function place({ x, y, w, h }) {
  return {
    left: gap + x * columnWidth,
    top: gap + y * (row + gap),
    width: w * columnWidth - gap,
    height: h * (row + gap) - gap,
  };
}

function Row({ title, box }) {
  return <h2 style={{ position: 'absolute', ...box, margin: 0, fontSize: 16, lineHeight: `${row}px` }}>{title}</h2>;
}

function Panel({ panel, box, frames, annotations }) {
  const Kind = kinds[panel.type];
  return (
    <div style={{ position: 'absolute', ...box }}>
      <PanelChrome title={panel.title} description={panel.description} width={box.width} height={box.height}>
        {(width, height) => <Kind {...{ panel, frames, annotations, theme, width, height }} />}
      </PanelChrome>
    </div>
  );
}

function Dashboard({ panels, annotations }) {
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      {panels.map(({ panel, box, frames }) =>
        panel.type === 'row' ? (
          <Row key={panel.id} title={panel.title} box={box} />
        ) : (
          <Panel key={panel.id} {...{ panel, box, frames, annotations }} />
        ),
      )}
    </ThemeContext.Provider>
  );
}

async function draw() {
  await Promise.all(fonts.map((font) => document.fonts.load(font)));
  const annotations = (await Promise.all(dashboard.annotations.list.map(moments))).flat();
  const panels = await Promise.all(
    dashboard.panels.map(async (panel) => {
      const box = place(panel.gridPos);
      return { panel, box, frames: panel.targets ? await frames(panel, box.width) : [] };
    }),
  );
  const bottom = Math.max(...panels.map(({ box }) => box.top + box.height));
  document.body.style.height = `${bottom + gap}px`;
  const root = createRoot(document.getElementById('dashboard'));
  flushSync(() => root.render(<Dashboard {...{ panels, annotations }} />));
  // The charts are drawn by the next frame. Whoever takes the picture waits for this.
  requestAnimationFrame(() => requestAnimationFrame(() => (document.body.dataset.height = bottom + gap)));
}

draw();
