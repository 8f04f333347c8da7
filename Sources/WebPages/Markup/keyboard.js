// SPDX-License-Identifier: Apache-2.0
// An on-screen keyboard, for devices with a touch screen and no keyboard. It appears when the user touches a field. When
// the user presses a key of a real keyboard, it disappears and stays hidden until the page is loaded again. Phones and
// tablets with their own on-screen keyboard do not get it.
"use strict";
(() => {
  const panel = document.getElementById("keyboard");
  const hasOwn = /Android|iPhone|iPad|Mobile/.test(navigator.userAgent);
  if (!panel || hasOwn) return;

  const latin = { en: "qwertyuiop|asdfghjkl|zxcvbnm", fr: "azertyuiop|qsdfghjklm|wxcvbn", de: "qwertzuiopü|asdfghjklöä|yxcvbnmß" };
  const national = {
    fr: "éèàçùâêîôû", it: "àèéìòù", pt: "ãáàâçéêíóôõú", pl: "ąćęłńóśźż",
    ru: "йцукенгшщзх|фывапролджэ|ячсмитьбюёъ", ar: "ضصثقفغعهخحجد|شسيبلاتنمكط|ئءؤرىةوزظذ",
  };
  // The label of the key that switches to the national letters. For a language that is not listed, the label is its
  // first three national letters.
  const names = { ru: "РУС", ar: "عر" };
  const signs = "1234567890|@#€_&-+()/|*\"':;!?.,%|~`^$=<>[]{}\\";
  const language = document.documentElement.lang;
  const label = (name) => panel.dataset[name];

  let field = null;
  let isRefused = false;
  let isShifted = false;
  let page = "letters";

  const rows = () => {
    const letters = (latin[language] || latin.en).split("|");
    if (page === "signs") return signs.split("|");
    if (page === "national") return national[language].split("|");
    return ["1234567890", ...letters.slice(0, -1), letters.at(-1) + "@.-_"];
  };

  const insert = (text) => {
    const [start, end] = [field.selectionStart, field.selectionEnd];
    if (field.maxLength >= 0 && field.value.length - (end - start) + text.length > field.maxLength) return;
    field.setRangeText(text, start, end, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };

  const erase = () => {
    const [start, end] = [field.selectionStart, field.selectionEnd];
    // A character outside the basic multilingual plane takes two code units.
    const last = Array.from(field.value.slice(0, start)).at(-1) || "";
    field.setRangeText("", start === end ? start - last.length : start, end, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };

  const key = (text, action, { name, kind, pressed } = {}) => {
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.textContent = text;
    if (name) button.setAttribute("aria-label", name);
    if (kind) button.className = kind;
    if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed));
    button.addEventListener("click", () => { if (field) action(); });
    return button;
  };

  const row = (keys) => {
    const div = document.createElement("div");
    div.append(...keys);
    panel.append(div);
  };

  const draw = () => {
    panel.replaceChildren();
    for (const line of rows()) {
      row(Array.from(line, (letter) => {
        const text = isShifted ? letter.toLocaleUpperCase(language) : letter;
        return key(text, () => {
          insert(text);
          if (isShifted) { isShifted = false; draw(); }
        });
      }));
    }
    const turn = (to) => () => { page = page === to ? "letters" : to; draw(); };
    const last = [
      key("⇧", () => { isShifted = !isShifted; draw(); }, { name: label("shift"), kind: "wide", pressed: isShifted }),
      key(page === "signs" ? "abc" : "#+=", turn("signs"), { name: label(page === "signs" ? "letters" : "signs"), kind: "wide" }),
    ];
    if (national[language]) {
      const isOn = page === "national";
      last.push(key(isOn ? "abc" : names[language] || national[language].slice(0, 3), turn("national"), { name: label(isOn ? "letters" : "national"), kind: "wide" }));
    }
    last.push(
      key(label("space"), () => insert(" "), { kind: "space" }),
      key("⌫", erase, { name: label("erase"), kind: "wide" }),
      key("⏎", done, { name: label("done"), kind: "wide" }),
    );
    row(last);
  };

  const hide = () => { panel.hidden = true; field = null; };

  const done = () => {
    const fields = Array.from(field.form.querySelectorAll("input:not([type=hidden])"));
    const next = fields[fields.indexOf(field) + 1];
    if (next && !next.value) { show(next); next.focus(); } else if (field.form.reportValidity()) {
      const { form } = field;
      hide();
      form.requestSubmit();
    }
  };

  const show = (input) => {
    if (isRefused) return;
    field = input;
    // Prevents the system's own on-screen keyboard.
    input.inputMode = "none";
    draw();
    panel.hidden = false;
    input.scrollIntoView({ block: "center" });
  };

  // Keeps the focus in the field while the user touches keys.
  panel.addEventListener("pointerdown", (event) => event.preventDefault());
  panel.addEventListener("mousedown", (event) => event.preventDefault());
  for (const input of document.querySelectorAll("main input:not([type=hidden])")) {
    // Waits for the end of the touch, because the page moves when the keyboard appears.
    input.addEventListener("click", (event) => { if (event.pointerType === "touch") show(input); });
    input.addEventListener("focus", () => { if (!panel.hidden) { field = input; } });
    input.addEventListener("keydown", (event) => {
      if (event.isTrusted) { isRefused = true; hide(); }
    });
  }
  addEventListener("pagehide", hide);
})();
