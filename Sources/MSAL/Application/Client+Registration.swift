// SPDX-License-Identifier: Apache-2.0

extension Client {
    /// Finds out about the device's registration with `tenant`; nil stands for whichever there is (DEV-11).
    func registration(
        _ tenant: String?, _ correlation: UUID, complete: @escaping @Sendable (Result<MSALWPJMetaData, Fault>) -> Void
    ) {
        deviceInformation(correlation) { outcome in complete(outcome.map { MSALWPJMetaData($0, tenant: tenant) }) }
    }
}
