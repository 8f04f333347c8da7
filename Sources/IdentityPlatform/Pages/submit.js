// SPDX-License-Identifier: Apache-2.0
// Submits the page's form without any input from the person. If scripts are off, the person presses the form's button.
"use strict";
document.forms[0].submit();
