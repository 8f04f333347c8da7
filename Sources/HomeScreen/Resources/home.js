// SPDX-License-Identifier: Apache-2.0
// Displays the views that the home screen's program sends, and reports the person's touches to the program.
'use strict';

const at = id => document.getElementById(id);
const retryPause = 1000; // milliseconds before the next attempt to reach the program
const restTime = 700; // milliseconds after a touch during which another touch is ignored
const activityPause = 15000; // milliseconds between two reports that the person is active

let language = new URLSearchParams(location.search).get('language') || '';
let answer = null; // the last answer from the program
let received = 0; // when that answer arrived, in milliseconds since 1970
let waiting = null; // aborts the request for the next view

function post(path) {
  return fetch(path, {method: 'POST', headers: {'X-Baton-Home': '1'}}).catch(() => undefined);
}

function set(id, text) {
  const element = at(id);
  if (element.textContent !== (text || '')) element.textContent = text || '';
}

function time(seconds) {
  return new Intl.DateTimeFormat(answer ? answer.locale : undefined, {hour: '2-digit', minute: '2-digit'})
    .format(new Date(seconds * 1000));
}

// Formats a duration as hours and minutes, or as minutes and seconds if it is shorter than an hour.
function duration(seconds) {
  const two = number => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours} h ${two(minutes)} min` : `${minutes}:${two(seconds % 60)}`;
}

// Returns the current text of a countdown. The duration is isolated from the direction of the text, because digits run
// from left to right in every language.
function countdown(value) {
  const left = Math.max(0, Math.round(value.seconds - (Date.now() - received) / 1000));
  return value.text.replace('{duration}', `\u2066${duration(left)}\u2069`);
}

function showButton(element, button) {
  element.hidden = !button;
  if (!button) return;
  if (element.textContent !== button.label) element.textContent = button.label;
  element.dataset.touch = button.touch;
  element.setAttribute('aria-busy', String(Boolean(button.isBusy)));
}

function showTiles(view) {
  at('apps').hidden = view.tiles.length === 0;
  set('apps-title', view.tilesTitle);
  const list = at('tiles');
  while (list.children.length > view.tiles.length) list.lastChild.remove();
  view.tiles.forEach((tile, index) => {
    if (!list.children[index]) list.append(newTile());
    const button = list.children[index].firstChild;
    const [image, words] = button.children;
    button.dataset.number = String(tile.number);
    showImage(image, tile.hasIcon && `/icons/${tile.number}`);
    words.firstChild.textContent = tile.title;
    words.lastChild.textContent = tile.state || '';
    button.dataset.problem = String(tile.isProblem);
  });
}

// Shows an image of the current content. Hides the element if there is no path or the browser cannot decode the image.
function showImage(image, path) {
  const source = path ? `${path}?${answer.content}` : '';
  image.hidden = !path || image.dataset.broken === source;
  if (path && image.getAttribute('src') !== source) image.src = source;
}

function hideBroken(event) {
  const image = event.currentTarget;
  image.dataset.broken = image.getAttribute('src');
  image.hidden = true;
}

function newTile() {
  const item = document.createElement('li'), button = document.createElement('button');
  const image = document.createElement('img'), words = document.createElement('span');
  const title = document.createElement('strong'), state = document.createElement('small');
  title.dir = 'auto';
  image.alt = '';
  image.addEventListener('error', hideBroken);
  button.type = 'button';
  button.className = 'tile';
  button.addEventListener('click', () => post(`/tiles/${button.dataset.number}`));
  words.append(title, state);
  button.append(image, words);
  item.append(button);
  return item;
}

function showReceipt(receipt) {
  at('receipt').hidden = !receipt;
  if (!receipt) return;
  set('receipt-title', receipt.title.replace('{time}', time(receipt.time)));
  set('receipt-number', receipt.number);
  at('receipt-lines').replaceChildren(...receipt.lines.flatMap(line => {
    const what = document.createElement('dt'), result = document.createElement('dd');
    what.textContent = line.what;
    what.dataset.mark = line.mark;
    result.textContent = line.result;
    return [what, result];
  }));
}

function showIdle(question) {
  const dialog = at('idle');
  if (!question) {
    if (dialog.open) dialog.close();
    return;
  }
  set('idle-title', question.title);
  set('idle-text', countdown(question.countdown));
  showButton(at('idle-button'), question.button);
  if (!dialog.open) dialog.showModal();
}

function lines(id, texts, tag) {
  const element = at(id);
  const present = [...element.children].map(child => child.textContent);
  if (present.join('\n') === texts.join('\n') && present.length === texts.length) return;
  element.replaceChildren(...texts.map(text => {
    const line = document.createElement(tag);
    line.textContent = text;
    return line;
  }));
}

function showLanguages() {
  const select = at('language');
  if (select.options.length === 0) {
    select.append(...answer.languages.map(({tag, name}) => {
      const option = new Option(name, tag);
      option.lang = tag;
      return option;
    }));
  }
  select.value = answer.view.language;
  set('language-label', answer.labels.language);
}

function show() {
  const {view} = answer;
  document.documentElement.lang = view.language;
  document.documentElement.dir = view.direction;
  document.title = answer.labels.pageTitle;
  document.body.dataset.tone = view.worker ? 'session' : view.tone;
  set('organisation', answer.organisation);
  set('device', answer.device);
  at('logo').alt = answer.organisation || '';
  showImage(at('logo'), answer.hasLogo && '/logo');
  showColour();
  set('title', view.title);
  set('since', view.worker && view.worker.since ? view.worker.since.replace('{time}', time(view.worker.sinceTime)) : '');
  set('text', view.text);
  lines('advice', view.advice, 'li');
  lines('notices', view.notices, 'p');
  showButton(at('button'), view.button);
  showButton(at('other-button'), view.otherButton);
  set('hint', view.button && view.button.hint);
  showTiles(view);
  showReceipt(view.receipt);
  showLanguages();
  tick();
}

// Loads the style sheet of the current content, which contains the organisation's colour.
function showColour() {
  const sheets = [...document.querySelectorAll('link[rel=stylesheet]')];
  const path = `/home.css?${answer.content}`;
  if (sheets.at(-1).getAttribute('href') === path) return;
  const next = sheets.at(-1).cloneNode();
  next.href = path;
  next.addEventListener('load', () => sheets.forEach(sheet => sheet.remove()));
  sheets.at(-1).after(next);
}

// Updates everything that changes with time.
function tick() {
  at('clock').textContent = time(Date.now() / 1000);
  if (!answer) return;
  lines('countdowns', answer.view.countdowns.map(countdown), 'p');
  showIdle(answer.view.idle);
}

async function next() {
  const query = new URLSearchParams(answer ? {after: answer.change} : {});
  if (language) query.set('language', language);
  waiting = new AbortController();
  const response = await fetch(`/view?${query}`, {signal: waiting.signal});
  if (!response.ok) throw new Error(String(response.status));
  answer = await response.json();
  received = Date.now();
  show();
}

async function run() {
  let isLost = false; // whether the last request has failed
  for (;;) {
    try {
      await next();
      isLost = false;
    } catch (error) {
      if (error.name === 'AbortError') continue;
      // After a session the program starts anew: it drops the current request, and answers the next one.
      if (!isLost) {
        isLost = true;
        continue;
      }
      if (answer) {
        document.body.dataset.tone = 'problem';
        lines('notices', [answer.labels.lostScreen], 'p');
        for (const id of buttons.keys()) showButton(at(id), null);
      }
      await new Promise(done => setTimeout(done, retryPause));
    }
  }
}

// The ids of the buttons' elements, each with a function that returns the button of a view.
const buttons = new Map([
  ['button', view => view.button],
  ['other-button', view => view.otherButton],
  ['idle-button', view => view.idle && view.idle.button],
]);

for (const [id, of] of buttons) {
  const button = at(id);
  button.addEventListener('click', () => {
    // A touch with gloves often counts as two, and the button may have another meaning by the second touch.
    if (button.getAttribute('aria-busy') === 'true' || button.dataset.rest) return;
    button.dataset.rest = 'true';
    setTimeout(() => delete button.dataset.rest, restTime);
    button.setAttribute('aria-busy', 'true');
    // The next view shows the result. If nothing changes, the button is shown as before.
    post(`/touch/${button.dataset.touch}?language=${language}`).then(() => { if (answer) showButton(button, of(answer.view)); });
  });
}

at('logo').addEventListener('error', hideBroken);

at('language').addEventListener('change', event => {
  language = event.target.value;
  answer = null;
  if (waiting) waiting.abort();
});

// A worker who uses this page is active.
let lastActivity = 0;
for (const kind of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(kind, () => {
    if (!answer || !answer.view.worker || Date.now() - lastActivity < activityPause) return;
    lastActivity = Date.now();
    post('/activity');
  }, {passive: true});
}

// The dialog is closed by its button or by the program, never by the key Escape.
at('idle').addEventListener('cancel', event => event.preventDefault());

// Disables the browser's shortcuts and its menu, which could open another window or leave this page: the next worker would
// then find that window or page. The shortcuts for zoom still work.
addEventListener('keydown', event => {
  const isShortcut = event.ctrlKey || event.altKey || event.metaKey || /^F\d/.test(event.key);
  const isZoom = event.ctrlKey && ['+', '=', '-', '0'].includes(event.key);
  if (isShortcut && !isZoom) event.preventDefault();
}, true);
addEventListener('contextmenu', event => event.preventDefault());

setInterval(tick, 1000);
run();
