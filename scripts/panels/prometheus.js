// Asks Prometheus what Grafana's data source would ask for a panel, and makes of the answer what panels draw.
import { dateTime, FieldType } from '@grafana/data';

const asked = new URLSearchParams(location.search);
const address = asked.get('prometheus');
const from = Number(asked.get('from'));
const to = Number(asked.get('to'));
const scrapeInterval = Number(asked.get('scrape'));

const limits = { from: dateTime(from * 1000), to: dateTime(to * 1000) };
export const timeRange = { ...limits, raw: limits };

// As Grafana does: a step for each pixel, but none below the scrape interval; rates over four scrapes at least.
function step(width) {
  return Math.max(Math.ceil((to - from) / width), scrapeInterval);
}

function aligned(step) {
  const down = (time) => Math.floor(time / step) * step;
  return { start: down(from), end: down(to) };
}

function substitute(expression, step) {
  const rateInterval = Math.max(step + scrapeInterval, 4 * scrapeInterval);
  return expression
    .replaceAll('$__rate_interval', `${rateInterval}s`)
    .replaceAll('$__range', `${to - from}s`)
    .replace(/\$(application|instance|lock|provider)\b/g, '.*');
}

async function ask(path, parameters) {
  const response = await fetch(`${address}/api/v1/${path}`, { method: 'POST', body: new URLSearchParams(parameters) });
  const answer = await response.json();
  if (answer.status !== 'success') {
    throw new Error(`${answer.error} in ${parameters.query}`);
  }
  return answer.data.result;
}

async function series(target, width) {
  const seconds = step(width);
  const query = substitute(target.expr, seconds);
  if (target.instant) {
    const result = await ask('query', { query, time: to });
    return result.map(({ metric, value }) => ({ metric, values: [value] }));
  }
  return ask('query_range', { query, ...aligned(seconds), step: seconds });
}

function frame({ metric, values }, target) {
  const name = (target.legendFormat ?? '').replace(/\{\{\s*(\w+)\s*}}/g, (_, label) => metric[label] ?? '');
  return {
    length: values.length,
    fields: [
      { name: 'Time', type: FieldType.time, config: {}, values: values.map(([time]) => time * 1000) },
      {
        name: 'Value',
        type: FieldType.number,
        labels: metric,
        config: { displayNameFromDS: name },
        values: values.map(([, value]) => (value === 'NaN' ? null : Number(value))),
      },
    ],
  };
}

export async function frames(panel, width) {
  const answers = await Promise.all(
    panel.targets.map(async (target) => (await series(target, width)).map((each) => frame(each, target))),
  );
  return answers.flat();
}

// The moments at which the expression of an annotation has a value.
export async function moments({ expr, step }) {
  const seconds = parseInt(step);
  const result = await ask('query_range', { query: substitute(expr, seconds), ...aligned(seconds), step: seconds });
  return result.flatMap(({ values }) => values.map(([time]) => time * 1000));
}
