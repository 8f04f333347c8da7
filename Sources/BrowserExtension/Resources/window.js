// SPDX-License-Identifier: Apache-2.0
// Ends a sign-in window when its page is closed: once the page's tab is closed, every other tab and window closes, too.
// The page's tab is the first: Chromium numbers tabs in the order in which they open, beginning with any number.
"use strict";

// The time, in milliseconds, in which the other tabs can close by themselves. A tab that has not closed by then,
// because its page asks to stay or because a person drags it, ends with the browser.
const PAUSE = 200;

const tabs = () => chrome.tabs.query({});

async function end() {
    // The answer is not awaited, because a page that asks to stay may delay it.
    for (const tab of await tabs()) chrome.tabs.remove(tab.id).catch(() => {});
    await new Promise((done) => setTimeout(done, PAUSE));
    for (let rest = await tabs(); rest.length > 0; rest = await tabs()) {
        chrome.runtime.connectNative("org.baton.window");
        await new Promise((done) => setTimeout(done, PAUSE));
    }
}

chrome.tabs.onRemoved.addListener(async (removed) => {
    if ((await tabs()).every((tab) => tab.id > removed)) end();
});

// A person may have opened a second window and closed the page before this script ran. A window or tab that a person
// opens begins with one of Chromium's own pages, and these are blocked.
chrome.runtime.onInstalled.addListener(async () => {
    const isPage = (tab) => /^(https?|file):/.test(tab.pendingUrl || tab.url || "");
    if (!(await tabs()).some(isPage)) end();
});
