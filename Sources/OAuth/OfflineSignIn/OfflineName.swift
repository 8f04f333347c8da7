// SPDX-License-Identifier: Apache-2.0

/// The names of the members of offline leases, of the device's queries about leases, and of the replies. No standard
/// defines these names.
enum OfflineName: String, WireName {
    case attempts
    case binding
    case blockSize = "block_size"
    case boots
    case credentials
    case good
    case held
    case lease
    case leaseID = "jti"
    case logarithm
    case parallelism
    case password
    case poweredSeconds = "powered_seconds"
    case receiptSubjects = "receipt_subjects"
    case salt
    case tag
    case time
}
