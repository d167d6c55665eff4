// What Grafana's application does to fields before a panel draws them: the panel's settings, a formatter, a colour.
import { FieldColorModeId, FieldType, getDisplayProcessor, getFieldMatcher } from '@grafana/data';
import { GraphDrawStyle, StackingMode } from '@grafana/schema';

// What the settings of the panel type are if the dashboard does not say.
const drawing = {
  drawStyle: GraphDrawStyle.Line,
  pointSize: 5,
  spanNulls: false,
  stacking: { mode: StackingMode.None, group: 'A' },
  hideFrom: { legend: false, tooltip: false, viz: false },
};

function overridden(overrides, field, frame, frames) {
  const properties = overrides
    .filter(({ matcher }) => getFieldMatcher(matcher)(field, frame, frames))
    .flatMap(({ properties }) => properties);
  return Object.fromEntries(properties.map(({ id, value }) => [id, value]));
}

export function prepared(frames, { defaults, overrides }, theme) {
  let seriesIndex = 0;
  const prepare = (field, frame) => {
    const custom = { ...drawing, ...defaults.custom };
    const own = { ...field.config, custom, ...overridden(overrides, field, frame, frames) };
    const config = { color: { mode: FieldColorModeId.PaletteClassic }, ...defaults, ...own };
    const state = field.type === FieldType.number ? { seriesIndex: seriesIndex++ } : {};
    const ready = { ...field, config, state };
    return { ...ready, display: getDisplayProcessor({ field: ready, theme, timeZone: 'utc' }) };
  };
  return frames.map((frame) => ({ ...frame, fields: frame.fields.map((field) => prepare(field, frame)) }));
}
