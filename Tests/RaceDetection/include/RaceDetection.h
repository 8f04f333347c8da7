// SPDX-License-Identifier: Apache-2.0
// Declares nothing. Linking this library makes ThreadSanitizer see the ordering of a contended Mutex.
