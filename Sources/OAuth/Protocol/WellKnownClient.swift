// SPDX-License-Identifier: Apache-2.0

/// Application ids that clients of this dialect carry as literals; the server registers them as ordinary applications.
package enum WellKnownClient {
    /// The authentication broker: joins devices and holds the PRT.
    package static let broker = "29d9ed98-a469-4536-ade2-f981bc1d605e"
    /// The sign-in broker of another system, which asks for PRTs by password.
    package static let signInBroker = "38aa3b87-a06d-4817-b275-7a316988d93b"
    /// Device registration as a resource.
    package static let deviceRegistration = "01cb2876-7ebd-4aa4-9cc9-d28bd4d359a9"
    /// Graph as a resource.
    package static let graph = "00000003-0000-0000-c000-000000000000"
    /// Device registration as a resource by its older name, which some clients compare literally.
    package static func deviceRegistrationURN(host: String) -> String { "urn:ms-drs:\(host)" }
}
