/** The tables. Rows are kept and cells written only when they change, so that text stays selected. */

import {
  ago, clock, duration, holderOf, isHidden, isLate, isLeaderless, isLong, leaderOf, lockOf, nameOf, permitOf, reason,
} from './locks-words.js';

/** So many rows are shown of each kind, until somebody wants to see more. */
const FEW = 10;

const element = id => document.getElementById(id);

const lock = { label: 'Lock', text: nameOf, note: each => `${each.provider}, ${each.mode.toLowerCase()}` };
const token = { label: 'Token', text: each => each.token, style: 'number code' };

const LEADERS = [
  { label: 'Role', text: role => role.name },
  {
    label: 'Led by',
    text: leaderOf,
    note: ({ leads, leader }) => leads ? leader?.instance ?? '' : '',
    style: 'who',
    alarm: isLeaderless,
  },
  { label: 'Term', text: ({ leader }) => leader?.term ?? '', style: 'number code' },
  {
    label: 'Since',
    text: ({ leader }, { now }) => leader ? `${duration(Math.max(0, now - Date.parse(leader.since)))} ago` : '',
    note: ({ leads, leader }) => leader ? `${leads ? '' : 'seen here '}${clock(Date.parse(leader.since))}` : '',
    style: 'number',
  },
  { label: 'This instance', text: ({ leads, stands }) => leads ? 'leads' : stands ? 'stands for election' : 'does not stand' },
  { label: 'Resign', button: ({ name, leads }) => leads ? { label: `Resign as leader of ${name}`, role: name } : null },
];

const HELD = [
  { ...lock, note: (hold, answer) => `${lock.note(hold)}${permitOf(hold, answer)}` },
  { label: 'Held by', text: hold => hold.thread, note: hold => hold.owner, style: 'who' },
  token,
  { label: 'Held for', text: hold => duration(hold.heldMillis), style: 'number' },
  { label: 'Valid for', text: hold => duration(hold.remainingMillis), style: 'number', alarm: isLate },
  { label: 'Renewals', text: hold => hold.renewals, style: 'number' },
  { label: 'Waiting here', text: (hold, { waiting }) => waitersOf(hold, waiting), style: 'number' },
];

const WAITING = [
  lock,
  { label: 'Held by', text: holderOf, style: 'who' },
  { label: 'Who waits', text: wait => wait.thread, style: 'who' },
  { label: 'Has waited', text: wait => duration(wait.waitedMillis), style: 'number', alarm: isLong },
  { label: 'Gives up in', text: wait => duration(wait.remainingMillis), style: 'number', alarm: isLong },
];

const LOSSES = [
  lock,
  { label: 'Why', text: loss => loss.reason, note: reason, style: 'who' },
  token,
  {
    label: 'When',
    text: (loss, { now }) => `${duration(ago(loss, now))} ago`,
    note: loss => clock(loss.at),
    style: 'number',
  },
  { label: 'Held for', text: loss => duration(loss.heldMillis), style: 'number' },
  { label: 'Not renewed for', text: loss => duration(loss.sinceRenewalMillis), style: 'number' },
];

const TABLES = {
  leaders: {
    columns: LEADERS,
    rows: ({ roles }) => ({ total: roles.length, items: roles }),
    none: 'There are no roles.',
  },
  held: { columns: HELD, rows: ({ held }) => held, none: 'This instance holds no lock.' },
  waiting: { columns: WAITING, rows: ({ waiting }) => waiting, none: 'Nobody waits in this instance.' },
  losses: {
    columns: LOSSES,
    rows: ({ losses }) => ({ total: losses.length, items: losses }),
    none: 'This instance has lost no lock since it started.',
  },
};

const wanted = { leaders: FEW, held: FEW, waiting: FEW, losses: FEW };

function waitersOf(hold, { items, total }) {
  if (isHidden(hold)) {
    return '';
  }
  const known = items.filter(wait => lockOf(wait) === lockOf(hold)).length;
  return items.length < total ? `${known} or more` : known;
}

export function drawTables(answer) {
  element('roles').hidden = answer.roles.length === 0;
  Object.keys(TABLES).forEach(id => draw(id, answer));
}

/** All that were asked for, or few again. */
export function showMore(button, answer) {
  const { id } = button.parentElement.querySelector('table');
  wanted[id] = wanted[id] === FEW ? Infinity : FEW;
  if (answer) {
    draw(id, answer);
  }
}

function draw(id, answer) {
  const { columns, rows, none } = TABLES[id];
  const { total, items } = rows(answer);
  const shown = items.slice(0, wanted[id]);
  const table = element(id);
  write(table.querySelector('.count'), String(total));
  table.classList.toggle('empty', total === 0);
  drawHead(table.tHead, columns);
  drawBody(table.tBodies[0], columns, shown, answer, none);
  drawMore(table.parentElement.querySelector('.more'), { total, known: items.length, shown: shown.length });
}

function drawHead(head, columns) {
  if (head.rows.length === 0) {
    const row = head.insertRow();
    row.setAttribute('role', 'row');
    row.append(...columns.map(({ label, style }) => cell('th', { role: 'columnheader', scope: 'col' }, style, label)));
  }
}

function drawBody(body, columns, items, answer, none) {
  if (items.length === 0) {
    drawNone(body, columns, none);
    return;
  }
  body.querySelector('.none')?.closest('tr').remove();
  while (body.rows.length > items.length) {
    body.deleteRow(-1);
  }
  items.forEach((item, at) => fill(body.rows[at] ?? newRow(body, columns), columns, item, answer));
}

function drawNone(body, columns, none) {
  if (!body.querySelector('.none')) {
    body.replaceChildren();
    newRow(body, []).append(cell('td', { role: 'cell', colspan: columns.length }, 'none', none));
  }
}

/** Laid out as blocks on narrow screens, which would end the roles that elements of a table have by themselves. */
function newRow(body, columns) {
  const row = body.insertRow();
  row.setAttribute('role', 'row');
  row.append(...columns.map(({ label, style, note, button }, at) => {
    const made = at === 0
      ? cell('th', { role: 'rowheader', scope: 'row' }, style)
      : cell('td', { role: 'cell', 'data-label': label }, style);
    made.append(button ? newButton() : document.createElement('span'));
    if (note) {
      made.append(document.createElement('small'));
    }
    return made;
  }));
  return row;
}

function newButton() {
  const made = document.createElement('button');
  made.className = 'plain';
  made.type = 'button';
  made.textContent = 'Resign';
  return made;
}

function fillButton(target, wanted) {
  target.hidden = !wanted;
  target.dataset.role = wanted?.role ?? '';
  target.setAttribute('aria-label', wanted?.label ?? '');
}

function fill(row, columns, item, answer) {
  columns.forEach(({ text, note, alarm, button }, at) => {
    const [main, small] = row.cells[at].children;
    if (button) {
      fillButton(main, button(item));
      return;
    }
    write(main, String(text(item, answer)));
    if (note) {
      write(small, String(note(item, answer)));
    }
    row.cells[at].classList.toggle('alarm', Boolean(alarm?.(item)));
  });
}

function drawMore(button, { total, known, shown }) {
  button.hidden = total <= FEW;
  const beyond = total > known ? `; the longest ${known} of ${total} can be seen here` : '';
  write(button, shown < known ? `Show ${known - shown} more${beyond}` : `Show ${FEW} only${beyond}`);
}

function cell(type, attributes, style, text = '') {
  const made = document.createElement(type);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.className = style ?? '';
  made.textContent = text;
  return made;
}

function write(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}
