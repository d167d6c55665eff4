import { FieldColorModeId, getDisplayProcessor } from '@grafana/data';
import { BigValue, TimeSeries } from '@grafana/ui';
import { prepared } from './fields.js';
import { timeRange } from './prometheus.js';

function Stat({ panel, frames, theme, width, height }) {
  const { defaults } = panel.fieldConfig;
  const field = { config: { color: { mode: FieldColorModeId.Thresholds }, ...defaults } };
  const display = getDisplayProcessor({ field, theme });
  const value = display(frames[0]?.fields[1].values.at(-1) ?? null);
  return <BigValue {...panel.options} {...{ width, height, theme, value }} />;
}

function Graph({ panel, frames, theme, width, height, annotations }) {
  if (frames.length === 0) {
    return <div style={{ display: 'grid', placeItems: 'center', height }}>No data</div>;
  }
  const series = prepared(frames, panel.fieldConfig, theme);
  return (
    <TimeSeries frames={series} timeRange={timeRange} timeZone="utc" legend={panel.options.legend} {...{ width, height }}>
      {(plot) => {
        plot.addHook('draw', (chart) => annotations.forEach((time) => mark(chart, time, theme)));
      }}
    </TimeSeries>
  );
}

// The line of an annotation, which in Grafana is not the panel's work.
function mark({ ctx, bbox, valToPos }, time, theme) {
  const x = valToPos(time, 'x', true);
  ctx.save();
  ctx.strokeStyle = theme.visualization.getColorByName('red');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 5 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

export const kinds = { stat: Stat, timeseries: Graph };
