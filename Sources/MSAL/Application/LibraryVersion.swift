// SPDX-License-Identifier: Apache-2.0

/// The version of this library, as the broker sees it in the hello and apps in `sdkVersion`.
let libraryVersion = "0.1.0"
