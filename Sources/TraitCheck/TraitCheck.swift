// SPDX-License-Identifier: Apache-2.0

// Every target that uses another package depends on this target; the libraries for apps do not. The error below
// therefore comes before the error that a module of another package is missing.
#if !Programs
    #error("Run scripts/swift instead of swift, or add --traits Programs: this package's programs and tests need it.")
#endif
