// SPDX-License-Identifier: Apache-2.0

/// Member names in offline leases and in the device's queries about them and their replies (Baton's own).
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
