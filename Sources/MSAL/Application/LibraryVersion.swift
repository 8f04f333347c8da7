// SPDX-License-Identifier: Apache-2.0

/// The version of this library, sent to the broker in the hello and returned by `sdkVersion`.
let libraryVersion = "0.1.0"
