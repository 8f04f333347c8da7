// SPDX-License-Identifier: Apache-2.0
// Submits the page's form, which needs nobody's input. Without scripts, the person presses its button.
"use strict";
document.forms[0].submit();
