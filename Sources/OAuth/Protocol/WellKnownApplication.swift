// SPDX-License-Identifier: Apache-2.0

/// Application ids that clients of this dialect hard-code. The server registers them as ordinary applications.
package enum WellKnownApplication {
    /// The authentication broker, which joins devices and holds the PRT.
    package static let broker = "29d9ed98-a469-4536-ade2-f981bc1d605e"
    /// Device registration as a resource.
    package static let deviceRegistration = "01cb2876-7ebd-4aa4-9cc9-d28bd4d359a9"
    /// Graph as a resource.
    package static let graph = "00000003-0000-0000-c000-000000000000"
}
