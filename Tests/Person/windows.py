# SPDX-License-Identifier: Apache-2.0
"""Windows on the screen DISPLAY, found by their titles with xdotool."""
import subprocess
import time

PATIENCE = 60.0  # seconds for a window to appear


def find(title, patience=PATIENCE):
    """Waits for a visible window whose title the regular expression matches.

    Returns the number of this window, or of the last one if there are several; None if no window appears in time.
    """
    deadline = time.monotonic() + patience
    while True:
        # Without `--sync`: xdotool fails if a window closes during its search, and `--sync` does not wait in that case.
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=PATIENCE, check=False, text=True).stdout.split()
        if found:
            return found[-1]
        if time.monotonic() > deadline:
            return None
        time.sleep(0.2)
