'use strict';

const POLL_MILLIS = 500;

const element = id => document.getElementById(id);
const show = (id, value) => { element(id).textContent = value; };

/** The sale that was on when "join each sale" was last looked at, so that each is joined once. */
let knownSale = null;
let refusal = null;

async function request(path, options) {
  const response = await fetch(path, options);
  if (response.status === 204) {
    return null;
  }
  const body = await response.json();
  if (!response.ok) {
    throw new Error(body.detail);
  }
  return body;
}

const post = path => request(path, { method: 'POST' });
const resign = () => request('actuator/leaders/night-report', { method: 'DELETE' });

function actions(workers) {
  return {
    locked: () => post(`api/sale?workers=${workers}&lock=true&fenced=${element('fenced').checked}`),
    unlocked: () => post(`api/sale?workers=${workers}&lock=false`),
    join: () => post(`api/sale/workers?workers=${workers}`),
    freeze: () => post('api/sale/freeze'),
  };
}

async function act(name) {
  try {
    const sale = await actions(element('workers').value)[name]();
    knownSale = sale.number;
    refusal = null;
    render(sale);
  } catch (problem) {
    refusal = problem.message;
    notice(refusal);
  }
}

async function joinIfNew(sale) {
  const isNew = knownSale !== null && sale.number !== knownSale;
  knownSale = sale.number;
  if (isNew && element('auto-join').checked && sale.here.workers === 0) {
    await act('join');
  }
}

async function poll() {
  try {
    const sale = await request('api/sale');
    if (sale) {
      render(sale);
      await joinIfNew(sale);
    } else {
      knownSale = 0;
      notice(refusal);
    }
  } catch (problem) {
    notice(problem instanceof TypeError ? 'This instance does not answer: it has ended, or is frozen.' : problem.message);
  } finally {
    await lookAtReport();
    await countLocks();
    setTimeout(poll, POLL_MILLIS);
  }
}

async function lookAtReport() {
  try {
    renderReport(await request('api/report'));
  } catch {
    show('leader', 'unknown');
  }
}

/** What went wrong stays on the page until something else was tried. */
async function tryTo(work) {
  try {
    await work();
    refusal = null;
  } catch (problem) {
    refusal = problem.message;
  }
  notice(refusal);
  await lookAtReport();
}

/** In the link to the page of the locks. */
async function countLocks() {
  try {
    const { held, waiting, losses } = await request('actuator/locks');
    show('locks', `Locks: ${held.total} held, ${waiting.total} waiting, ${losses.length} lost`);
  } catch {
    show('locks', 'Locks');
  }
}

function notice(text) {
  element('notice').hidden = !text;
  show('notice', text ?? '');
}

function render(sale) {
  notice(refusal ?? sale.here.trouble);
  show('instance', sale.here.instance);
  show('title', `Sale ${sale.number}: ${sale.initialStock} pieces, ${kind(sale)}`);
  show('stock', sale.stock);
  show('sold', sale.sold);
  show('oversold', sale.oversold);
  show('lost-updates', sale.lostUpdates);
  renderAlarm('oversold', sale.oversold);
  renderAlarm('lost-updates', sale.lostUpdates);
  renderBar(sale);
  renderVerdict(sale);
  renderHolder(sale.holder, sale.withLock);
  renderLock(sale.here);
  renderSellers(sale.soldBy, sale.sold);
  renderFreeze(sale.here.cannotFreeze);
}

function kind(sale) {
  if (!sale.withLock) {
    return 'without the lock';
  }
  return sale.fenced ? 'with the lock and a fence' : 'with the lock';
}

function renderFreeze(obstacle) {
  element('freeze').disabled = obstacle !== null;
  element('freeze').title = obstacle ? `Not available: ${obstacle}` : 'Stops the whole process for longer than its lease';
}

function renderAlarm(id, count) {
  element(id).parentElement.classList.toggle('wrong', count > 0);
}

function renderBar(sale) {
  const whole = Math.max(sale.initialStock, sale.sold);
  element('bar-sold').style.width = `${100 * (sale.sold - sale.oversold) / whole}%`;
  element('bar-oversold').style.width = `${100 * sale.oversold / whole}%`;
}

function renderVerdict(sale) {
  const wrong = sale.oversold > 0 || sale.lostUpdates > 0;
  element('verdict').className = `verdict ${wrong ? 'wrong' : sale.stock <= 0 ? 'fine' : ''}`;
  show('verdict', verdict(sale));
}

function verdict(sale) {
  if (sale.oversold > 0) {
    return `${sale.sold} sold of ${sale.initialStock}: ${sale.oversold} customers have paid for nothing.`;
  }
  if (sale.lostUpdates > 0) {
    return `The stock says ${sale.stock}, but only ${sale.initialStock - sale.sold} are left.`;
  }
  return sale.stock > 0 ? 'Nothing has gone wrong so far.' : `Sold out: exactly ${sale.sold} of ${sale.initialStock}.`;
}

function renderHolder(holder, withLock) {
  const who = holder && (holder.here ? 'a worker of this instance' : 'a worker of another instance');
  show('holder', who ?? (withLock ? 'nobody' : 'nobody: this sale does without'));
  show('owner', holder?.owner ?? '–');
  element('owner').title = holder?.owner ?? '';
  show('token', holder?.token ?? '–');
  show('remaining', holder?.remainingMillis != null ? `${(holder.remainingMillis / 1000).toFixed(1)} s` : '–');
}

function renderLock(here) {
  const { lock } = here;
  for (const [name, spread] of [['wait', lock.waitMillis], ['hold', lock.holdMillis]]) {
    for (const measure of ['p50', 'p95', 'max']) {
      show(`${name}-${measure}`, lock.acquired ? spread[measure].toFixed(1) : '–');
    }
  }
  show('acquired', lock.acquired);
  show('not-acquired', lock.notAcquired);
  show('failed', lock.failed);
  show('at-work', here.workers);
}

function renderReport({ leads, leader, latest }) {
  show('leader', leader ? `${leads ? 'this instance' : 'another instance'}, ${leader.instance}` : 'nobody');
  show('term', leader?.term ?? '–');
  show('report', latest
    ? `${latest.sold} sold, by ${latest.instance} in term ${latest.term}, at ${new Date(latest.writtenAt).toLocaleTimeString()}`
    : 'none yet');
  element('report-now').disabled = !leads;
  element('resign').disabled = !leads;
}

function renderSellers(soldBy, sold) {
  element('sold-by').replaceChildren(...Object.entries(soldBy).map(([name, count]) => {
    const row = document.createElement('div');
    row.className = 'seller';
    const label = document.createElement('span');
    label.textContent = name;
    const bar = document.createElement('div');
    bar.className = 'bar';
    const fill = document.createElement('div');
    fill.className = 'fill';
    fill.style.width = `${100 * count / sold}%`;
    bar.append(fill);
    const number = document.createElement('span');
    number.textContent = count;
    row.append(label, bar, number);
    return row;
  }));
}

element('controls').addEventListener('submit', event => {
  event.preventDefault();
  act(event.submitter?.value ?? 'locked');
});

element('report-now').addEventListener('click', () => tryTo(() => post('api/report')));
element('resign').addEventListener('click', () => tryTo(resign));

show('instance', location.host);
poll();
