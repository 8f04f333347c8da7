// SPDX-License-Identifier: Apache-2.0

// Every program depends on this target, and no library for apps does.
#if !Programs
    #error("This package's programs and tests are built by scripts/swift, or with --traits Programs.")
#endif
