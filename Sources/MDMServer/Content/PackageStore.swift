// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import Storage

/// A package in the store.
struct StoredPackage: Sendable {
    let size: Int64
    /// 64 hexadecimal digits.
    let sha256: String
}

/// The app packages, identified by their digests. Several nodes use one store.
protocol PackageStore: Sendable {
    /// Copies a file of this machine into the store.
    ///
    /// - Throws: ``MDMAdminRefusal`` if the file cannot be read or stored.
    func store(_ path: String) async throws -> StoredPackage

    /// Checks, in the transaction that offers the package to devices, that the store still has it.
    ///
    /// - Throws: ``MDMAdminRefusal``, ``StorageError``
    func confirm(_ package: StoredPackage, in connection: any Connection) throws

    /// Streams the bytes of a package.
    ///
    /// - Throws: `HTTPError` 503 if the store does not have the package, so that the device tries again later.
    func body(digest: String, context: some RequestContext) async throws -> ResponseBody

    /// Removes what no longer serves a purpose, such as the unfinished copies of a node that was killed. Copies that
    /// another node is making are kept.
    func sweep() async throws
}

/// How long an unfinished copy may stay unchanged until it counts as abandoned. It is much longer than the pauses of a
/// copy and than the differences between the clocks of nodes.
let abandonedCopyAge = Duration.seconds(3600)
