// SPDX-License-Identifier: Apache-2.0

/// The extensions of a device certificate, all under one object identifier arc (MS-DVRJ 3.1.5.1.1.3).
package enum DeviceCertificateExtension: UInt, Sendable, CaseIterable {
    case deviceID = 2
    case userObjectID = 3
    case tenantID = 5
    case joinType = 7
    case region = 8

    /// The numbers of the object identifier.
    package var arcs: [UInt] { [1, 2, 840, 113556, 1, 5, 284, rawValue] }
}
