// SPDX-License-Identifier: Apache-2.0
// Nothing to call: linking this library makes ThreadSanitizer see what a contended Mutex orders.
