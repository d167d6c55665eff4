/** What the page says about an answer of the endpoint. */

const HOUR = 3_600_000;

const REASONS = {
  EXPIRED: 'no renewal was confirmed in time: the store was silent, or this process stood still',
  NOT_OWNER: 'the store no longer knew this holder: expired there, deleted, or taken away',
  MAX_HOLD_TIME: 'it was held for its maximum hold time',
  CLIENT_CLOSED: 'this instance closed while it was held',
};

const SEVERITY = ['bad', 'warn', 'quiet'];

/** For how long each held lock was valid at best: what is left of it is judged by that. */
const fullest = new Map();

/** All permits of a lock but the first have a number after its key. */
function keyOf({ key, permit }) {
  const number = `#${permit}`;
  return permit > 1 && key?.endsWith(number) ? key.slice(0, -number.length) || null : key;
}

/** Of locks whose keys are hidden, nobody knows which are the same. */
export const isHidden = ({ key }) => key === '******';
export const lockOf = lock => `${lock.provider} ${lock.name} ${keyOf(lock) ?? ''}`;
export const nameOf = lock => keyOf(lock) == null ? lock.name : `${lock.name} ${keyOf(lock)}`;
export const reason = loss => REASONS[loss.reason] ?? loss.reason;

/** Of a role for which nobody is found; where the store is silent, nobody knows. */
export const isLeaderless = ({ leader, error }) => !leader && !error;

export function leaderOf({ leads, leader, error }) {
  if (leads) {
    return 'this instance';
  }
  return error ?? leader?.instance ?? (leader ? 'an instance without a name' : 'nobody');
}

/** Which of several permits a call has; nothing for a lock that has been taken without. */
export function permitOf(hold, { held }) {
  const several = held.items.some(each => each.permit > 1 && lockOf(each) === lockOf(hold));
  return several ? `, permit ${hold.permit}` : '';
}

export const ago = (loss, now) => Math.max(0, now - Date.parse(loss.at));

/** As in a log, in the viewer's time zone: Swedish writes 2026-11-21 03:12:44. */
export const clock = time => new Date(time).toLocaleString('sv-SE');

export function duration(millis) {
  if (millis < 1000) {
    return `${Math.max(0, Math.round(millis))} ms`;
  }
  if (millis < 60_000) {
    return `${(millis / 1000).toFixed(1)} s`;
  }
  const minutes = Math.floor(millis / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.floor(millis / 1000) % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** All roles have their locks under this name. Who waits for one stands for election, for as long as another leads. */
const isCandidate = ({ name }) => name === 'leader';

/** Whether a call has used up most of the time for which it may wait, and a second at least. */
export const isLong = wait => !isCandidate(wait) && wait.waitedMillis > 1000 && wait.waitedMillis > wait.remainingMillis;

/** Whether a lock that has been renewed so far was not renewed when its turn came, at a third of its lease. */
export const isLate = hold => hold.renewals > 0 && hold.remainingMillis < fullest.get(hold.token) / 2;

export function remember({ items }) {
  const tokens = new Set(items.map(hold => hold.token));
  [...fullest.keys()].filter(token => !tokens.has(token)).forEach(token => fullest.delete(token));
  items.forEach(hold => fullest.set(hold.token, Math.max(hold.remainingMillis, fullest.get(hold.token) ?? 0)));
}

/** Who has the lock that a call waits for: in this instance, as the store says, or nobody knows. */
export function holderOf(wait, { held, elsewhere }) {
  if (isHidden(wait)) {
    return 'hidden, as is the key';
  }
  const here = held.items.filter(hold => lockOf(hold) === lockOf(wait));
  if (here.length > 0) {
    return `this instance, ${here.map(hold => hold.thread).join(', ')}`;
  }
  const there = elsewhere.get(lockOf(wait));
  if (!there) {
    return 'not asked';
  }
  return there.silent
    ? 'the store does not say'
    : there.holders.map(holder => holder.instance ?? holder.owner).join(', ') || 'nobody at this moment';
}

/** The state, and what there is to say about it, the worst first. */
export function verdict(answer) {
  remember(answer.held);
  const found = [...stores(answer), ...leaders(answer), ...losses(answer), ...holds(answer), ...waits(answer)];
  const worst = SEVERITY.find(state => found.some(each => each.state === state)) ?? 'quiet';
  return {
    state: worst,
    title: found.find(each => each.state === worst)?.title ?? 'All is well',
    facts: [...SEVERITY.flatMap(state => found.filter(each => each.state === state)).map(each => each.fact), tally(answer)],
  };
}

function stores({ stores: all }) {
  return all
    .filter(([, { status, details }]) => status !== 'UP' || details?.degraded)
    .map(([provider, { status, details }]) => ({
      state: details?.degraded ? 'warn' : 'bad',
      title: details?.degraded ? `${provider} works, but should be mended` : `${provider} is ${status}`,
      fact: `${provider}: ${Object.entries(details ?? {}).map(([name, value]) => `${name} ${text(value)}`).join('; ') || status}`,
    }));
}

const text = value => typeof value === 'object' ? JSON.stringify(value) : value;

function leaders({ roles }) {
  return roles.filter(isLeaderless).map(({ name, stands }) => ({
    state: 'warn',
    title: `Nobody leads ${name}`,
    fact: `Nobody leads ${name}; this instance ${stands ? 'stands for election' : 'does not stand'}.`,
  }));
}

function losses({ losses: all, now }) {
  const recent = all.filter(loss => ago(loss, now) < HOUR);
  if (recent.length === 0) {
    return [];
  }
  const [last] = recent;
  return [{
    state: 'bad',
    title: recent.length === 1 ? 'A lock was lost in the last hour' : `${recent.length} locks were lost in the last hour`,
    fact: `${nameOf(last)} was lost ${duration(ago(last, now))} ago, after ${duration(last.heldMillis)}: ${reason(last)}.`,
  }];
}

function holds({ held }) {
  return held.items.filter(isLate).slice(0, 3).map(hold => ({
    state: 'warn',
    title: 'A lock is not being renewed',
    fact: `${nameOf(hold)} has not been renewed in time; it is lost in ${duration(hold.remainingMillis)} unless it is.`,
  }));
}

function waits(answer) {
  const longest = answer.waiting.items.find(wait => !isCandidate(wait));
  if (!longest) {
    return [];
  }
  return [{
    state: isLong(longest) ? 'warn' : 'quiet',
    title: isLong(longest) ? 'Calls wait for long' : 'All is well',
    fact: `The longest wait is for ${nameOf(longest)}: ${duration(longest.waitedMillis)}, and another `
      + `${duration(longest.remainingMillis)} at most. Held by ${holderOf(longest, answer)}.`,
  }];
}

function tally({ held, waiting, losses: lost, stores: all }) {
  const up = all.filter(([, { status }]) => status === 'UP').map(([provider]) => `${provider} is up`);
  return [`${count(held.total, 'lock')} held`, `${count(waiting.total, 'call')} waiting`, `${lost.length} lost`, ...up]
    .join(', ') + '.';
}

const count = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;
