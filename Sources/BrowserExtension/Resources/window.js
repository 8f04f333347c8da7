// SPDX-License-Identifier: Apache-2.0
// Ends a sign-in window with its page: once the page's tab is closed, every other tab and window closes, too. The page's
// tab is the first: Chromium numbers tabs in the order in which they open, beginning with any number.
"use strict";

// Milliseconds between two attempts. A tab that a person drags cannot be closed.
const PAUSE = 200;

const tabs = () => chrome.tabs.query({});

async function end() {
    for (let rest = await tabs(); rest.length > 0; rest = await tabs()) {
        await Promise.allSettled(rest.map((tab) => chrome.tabs.remove(tab.id)));
        await new Promise((done) => setTimeout(done, PAUSE));
    }
}

chrome.tabs.onRemoved.addListener(async (removed) => {
    if ((await tabs()).every((tab) => tab.id > removed)) end();
});

// A person may have opened a second window and closed the page before this script ran. What a person opens shows one of
// Chromium's own pages first, and these are blocked.
chrome.runtime.onInstalled.addListener(async () => {
    const isPage = (tab) => /^(https?|file):/.test(tab.pendingUrl || tab.url || "");
    if (!(await tabs()).some(isPage)) end();
});
