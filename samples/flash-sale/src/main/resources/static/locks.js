/**
 * Asks the endpoints of this instance once a second, and shows the answers. What is said is made in locks-words.js, what
 * is drawn in locks-tables.js.
 */

import { drawTables, showMore } from './locks-tables.js';
import { clock, isHidden, lockOf, verdict } from './locks-words.js';

const ENDPOINTS = 'actuator';
const POLL_MILLIS = 1000;
/** Of the locks that are waited for and held elsewhere, so many are asked about at a time. */
const INSPECTED = 5;

/** Before the name of the page, so that one sees it among other tabs. */
const MARKS = { quiet: '', warn: '▲ ', bad: '✕ ' };

const element = id => document.getElementById(id);

let paused = false;
let asking = false;
let hasRoles = true;
let lastAnswer = null;

class Silence extends Error {}

/** The answer with its status; a refusal may have no body that can be read. */
async function ask(path) {
  try {
    const response = await fetch(`${ENDPOINTS}/${path}`, { headers: { Accept: 'application/json' }, cache: 'no-store' });
    const body = response.ok ? await response.json() : await response.json().catch(() => ({}));
    return { ok: response.ok, status: response.status, now: Date.parse(response.headers.get('Date')), body };
  } catch {
    throw new Silence('This instance does not answer');
  }
}

async function locks() {
  const name = element('name').value.trim();
  const { ok, status, now, body } = await ask(`locks${name ? `?name=${encodeURIComponent(name)}` : ''}`);
  if (!ok) {
    throw new Silence(refusal(status));
  }
  return { ...body, now };
}

function refusal(status) {
  if (status === 404) {
    return 'The endpoint locks is not exposed: see management.endpoints.web.exposure.include';
  }
  return status === 401 || status === 403
    ? 'You may not see the locks: log in as somebody who may'
    : `The endpoint locks answers with status ${status}`;
}

/** The stores' health; nothing where it is not shown. */
async function health() {
  const { body } = await ask('health');
  return Object.entries(body.components?.distributedLock?.components ?? {});
}

/** The roles and who leads them. Where there are none, the endpoint is not there either, and not asked again. */
async function roles() {
  if (!hasRoles) {
    return [];
  }
  const { ok, status, body } = await ask('leaders');
  hasRoles = status !== 404;
  return ok ? Object.entries(body.roles).map(([name, role]) => ({ name, ...role })) : [];
}

async function resign(button) {
  button.disabled = true;
  try {
    await fetch(`${ENDPOINTS}/leaders/${encodeURIComponent(button.dataset.role)}`, { method: 'DELETE' });
  } finally {
    button.disabled = false;
    look();
  }
}

/** Who holds the locks that are waited for here and held elsewhere. */
async function holders({ held, waiting }) {
  const here = new Set(held.items.map(lockOf));
  const elsewhere = waiting.items.filter(wait => !isHidden(wait) && !here.has(lockOf(wait)));
  const asked = new Map(elsewhere.map(wait => [lockOf(wait), wait]));
  const answers = [...asked].slice(0, INSPECTED).map(async ([lock, { provider, name, key }]) => {
    const { ok, body } = await ask(`locks?${new URLSearchParams({ provider, name, key: key ?? '' })}`);
    return [lock, ok ? body : { silent: true, holders: [] }];
  });
  return new Map(await Promise.all(answers));
}

async function look() {
  if (asking) {
    return;
  }
  asking = true;
  try {
    const [answer, stores, led] = await Promise.all([locks(), health(), roles()]);
    draw({ ...answer, stores, roles: led, elsewhere: await holders(answer) });
  } catch (problem) {
    if (!(problem instanceof Silence)) {
      throw problem;
    }
    drawSilence(problem.message);
  } finally {
    asking = false;
  }
}

function draw(answer) {
  lastAnswer = answer;
  drawVerdict(verdict(answer));
  drawTables(answer);
  element('tables').classList.remove('stale');
  show('asked', `as of ${clock(answer.now)}`);
  const names = new Set([...answer.held.items, ...answer.waiting.items, ...answer.losses].map(each => each.name));
  if (!element('name').value) {
    element('names').replaceChildren(...[...names].sort().map(name => new Option(name)));
  }
}

function drawSilence(why) {
  drawVerdict({ state: 'bad', title: why, facts: lastAnswer ? ['What is below is what it said last.'] : [] });
  element('tables').classList.toggle('stale', true);
}

function drawVerdict({ state, title, facts }) {
  element('verdict').dataset.state = state;
  show('verdict-title', title);
  show('news', title);
  document.title = `${MARKS[state]}Locks`;
  const list = element('verdict-facts');
  while (list.children.length > facts.length) {
    list.lastChild.remove();
  }
  facts.forEach((fact, at) => {
    const item = list.children[at] ?? list.appendChild(document.createElement('li'));
    if (item.textContent !== fact) {
      item.textContent = fact;
    }
  });
}

function show(id, text) {
  if (element(id).textContent !== text) {
    element(id).textContent = text;
  }
}

function pause(on) {
  paused = on;
  element('pause').setAttribute('aria-pressed', on);
  if (!on) {
    look();
  }
}

function follow(name) {
  const address = new URL(location);
  name ? address.searchParams.set('name', name) : address.searchParams.delete('name');
  history.replaceState(null, '', address);
  look();
}

element('pause').addEventListener('click', () => pause(!paused));
element('name').addEventListener('input', event => follow(event.target.value.trim()));
element('controls').addEventListener('submit', event => event.preventDefault());
element('tables').addEventListener('click', ({ target }) => {
  if (target.matches('.more')) {
    showMore(target, lastAnswer);
  } else if (target.matches('[data-role]')) {
    resign(target);
  }
});

element('name').value = new URLSearchParams(location.search).get('name') ?? '';
show('instance', location.host);
look();
setInterval(() => paused || document.hidden || look(), POLL_MILLIS);
