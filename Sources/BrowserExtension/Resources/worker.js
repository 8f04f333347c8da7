// SPDX-License-Identifier: Apache-2.0
// Signs the worker's browser in at the addresses for which the device's broker gives headers. The script adds these
// headers to navigations of whole pages at these addresses, and to no other request. It contains no list of pages and
// stores no header: it asks the native messaging host at each navigation.
"use strict";

const HOST = "org.baton.browser";
const NAMES = ["x-ms-refreshtokencredential", "x-ms-devicecredential"];
// The time limit for the host's answer, in milliseconds. After it, a page opens without the headers.
const PATIENCE = 5000;
// How long the first page waits for the presentation of the credential, in milliseconds. Without the network, the page
// opens after this time.
const START_PATIENCE = 3000;
const LONGEST_ADDRESS = 8192;
const LONGEST_HEADER = 32768;
// The page of the identity platform to which the credential is presented at the start.
const OWN_PAGE = "/common/oauth2/deviceauth";
const PROMPTS = ["login", "select_account"];

let port = null;
let number = 0;
const open = new Map();
let told = null;

// MARK: The host

function connect() {
  if (port !== null) return port;
  const made = chrome.runtime.connectNative(HOST);
  made.onMessage.addListener(take);
  made.onDisconnect.addListener(() => {
    const error = chrome.runtime.lastError ?? made.error;
    if (port === made) port = null;
    // The next host may report other addresses.
    told = null;
    for (const question of open.values()) question.reject(new Error(`the host ended: ${error?.message ?? "closed"}`));
    open.clear();
  });
  port = made;
  return made;
}

function take(message) {
  const question = open.get(message?.id);
  if (question === undefined) {
    if (message?.error !== undefined) console.error("the host refused:", message.error.reason);
    return;
  }
  open.delete(message.id);
  if (message.error === undefined) question.resolve(message);
  else question.reject(new Error(String(message.error.reason)));
}

function ask(question) {
  return new Promise((resolve, reject) => {
    const id = ++number;
    open.set(id, { resolve, reject });
    setTimeout(() => {
      if (open.delete(id)) reject(new Error("the host does not answer"));
    }, PATIENCE);
    try {
      connect().postMessage({ id, ...question });
    } catch (error) {
      open.delete(id);
      reject(error);
    }
  });
}

// Returns the broker's settings: the addresses for which to request headers, and whether prompts are removed. These
// settings never come from a page.
function policy() {
  told ??= ask({ ask: "hello" }).then(
    ({ addresses, removesPrompts }) => {
      if (!Array.isArray(addresses)) throw new Error("the host's list cannot be read");
      return { prefixes: addresses.map(prefix => new URL(prefix)), removesPrompts: removesPrompts === true };
    },
  ).catch(error => {
    told = null;
    throw error;
  });
  return told;
}

// MARK: Addresses

// Returns the address of a navigation if it may get headers, otherwise null.
function listed({ prefixes }, text) {
  if (text.length > LONGEST_ADDRESS) return null;
  const address = new URL(text);
  address.hash = "";
  if (address.protocol !== "https:" || address.username !== "" || address.password !== "") return null;
  const isListed = prefixes.some(
    prefix => prefix.origin === address.origin && address.pathname.startsWith(prefix.pathname));
  return isListed ? address : null;
}

// Whether a person opened this as a whole page: it is not in a frame, not loaded in advance, and not posted by a form.
function isWholePage(details) {
  return details.type === "main_frame" && details.method === "GET" && details.frameId === 0 &&
    (details.documentLifecycle ?? "active") !== "prerender";
}

// MARK: Requests

function header({ name, value }) {
  const isHeader = typeof name === "string" && typeof value === "string" && NAMES.includes(name.toLowerCase()) &&
    value.length <= LONGEST_HEADER && /^[A-Za-z0-9._~+/=-]+$/.test(value);
  if (!isHeader) throw new Error("the host's header cannot be read");
  return { name, value };
}

async function headers(details) {
  const address = listed(await policy(), details.url);
  if (address === null) return [];
  const answer = await ask({ ask: "headers", url: address.href });
  if (!Array.isArray(answer.headers)) throw new Error("the host's answer cannot be read");
  return answer.headers.map(header);
}

async function add(details) {
  // Drops the headers that the request already has under these names, because this script did not add them.
  const others = details.requestHeaders.filter(({ name }) => !NAMES.includes(name.toLowerCase()));
  if (details.method !== "GET") return await isKnown(details) ? { requestHeaders: others } : { cancel: true };
  if (!isWholePage(details)) return { requestHeaders: others };
  try {
    return { requestHeaders: others.concat(await within(PATIENCE, headers(details))) };
  } catch (error) {
    // The message contains no part of the address.
    console.warn("no headers:", error.message);
    return { requestHeaders: others };
  }
}

// Returns whether the identity platform knows that this browser is the device's. Called before a form is sent to the
// platform. A browser that lost its cookies, or could not present the credential at its start, presents it now. If that
// fails, the form is not sent: a person could otherwise sign in as somebody else in the worker's browser.
async function isKnown(details) {
  try {
    if (listed(await policy(), details.url) !== null) await present();
    return true;
  } catch (error) {
    console.warn("a form was not sent:", error.message);
    return false;
  }
}

// Removes a page's request to prompt for the password, if the profile says so.
async function removePrompt(details) {
  if (!isWholePage(details) || !details.url.includes("prompt=")) return {};
  try {
    const known = await within(PATIENCE, policy());
    const address = known.removesPrompts ? listed(known, details.url) : null;
    if (address === null || !PROMPTS.includes(address.searchParams.get("prompt"))) return {};
    address.searchParams.delete("prompt");
    return { redirectUrl: address.href };
  } catch (error) {
    console.warn("the prompt stays:", error.message);
    return {};
  }
}

function within(milliseconds, promise) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("the host does not answer")), milliseconds);
    promise.then(resolve, reject);
  });
}

// MARK: Listening

// The hosts whose requests this extension may see. The broker decides which of their addresses get headers.
const manifest = chrome.runtime.getManifest();
const urls = (manifest.host_permissions ?? manifest.permissions).filter(pattern => pattern.startsWith("https://"));
const filter = { urls, types: ["main_frame"] };
const extra = chrome.webRequest.OnBeforeSendHeadersOptions?.EXTRA_HEADERS;
chrome.webRequest.onBeforeSendHeaders.addListener(
  add, filter, ["blocking", "requestHeaders", ...(extra ? [extra] : [])]);
chrome.webRequest.onBeforeRequest.addListener(removePrompt, filter, ["blocking"]);

// Chromium runs this script once when it installs the extension. In a profile that already has the extension, Chromium
// runs it at the start only if the script listens to this event.
chrome.runtime.onStartup.addListener(() => {});

// MARK: The start

// Presents the credential to the identity platform before the worker can open a page there. The platform then knows
// that this browser is the device's.
async function present() {
  const { prefixes } = await policy();
  for (const { origin } of prefixes.slice(0, 1)) {
    const address = origin + OWN_PAGE;
    const answer = await ask({ ask: "headers", url: address });
    if (!Array.isArray(answer.headers) || answer.headers.length === 0) throw new Error("the host has no credential");
    const headers = Object.fromEntries(answer.headers.map(header).map(({ name, value }) => [name, value]));
    const response = await fetch(address, {
      headers, credentials: "include", cache: "no-store", redirect: "error", signal: AbortSignal.timeout(PATIENCE),
    });
    if (!response.ok) throw new Error(`the identity platform answers ${response.status}`);
  }
}

// The host reports to the agent that the extension is ready; from then on, pages open signed in. A browser that could
// not present the credential, for example because there was no network, presents it when it opens its next page of the
// identity platform.
async function start() {
  try {
    await within(START_PATIENCE, present());
  } catch (error) {
    console.warn("the credential was not presented:", error.message);
  }
  await policy();
  await ask({ ask: "ready" });
}

start().catch(error => console.warn("not ready:", error.message));
