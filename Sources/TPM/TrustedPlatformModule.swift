// SPDX-License-Identifier: Apache-2.0
package import DeviceKeyStore
package import Redaction

/// A TPM 2.0, accessed through the TPM2 Software Stack.
///
/// Each call is one conversation: it connects, does its work, leaves nothing loaded in the TPM, and disconnects. The
/// supervisor and the session process can therefore share a TPM, and a killed process does not block it.
package struct TrustedPlatformModule: TrustedPlatform {
    private let configuration: String
    private let lock: String?
    private let worker: TimeoutExecutor

    /// The time limit for one piece of work, after which the TPM counts as unresponsive.
    private static let patience = Duration.seconds(30)
    /// The time limit for creating a key: a slow TPM may search for primes for a minute.
    private static let keyPatience = Duration.seconds(180)

    /// - Parameters:
    ///   - configuration: a device's absolute path, or a TCTI in the form of `tpm2-tools`, `<library>:<its
    ///     configuration>` (tss2-tctildr(7)). It is not checked here.
    ///   - lock: the path of a lock file for processes that share a TPM without a resource manager. The file is
    ///     created if it is missing.
    package init(_ configuration: String, lock: String? = nil, patience: Duration? = nil) {
        self.configuration = configuration.hasPrefix("/") ? "device:" + configuration : configuration
        self.lock = Self.isManaged(self.configuration) ? nil : lock
        worker = TimeoutExecutor(patience: patience)
        LibraryLog.silence()
    }

    package func seal(
        _ secret: SecretBytes, authorization: SecretBytes?
    ) throws(TrustedPlatformFailure) -> [UInt8] {
        try converse { conversation throws(TrustedPlatformFailure) in
            try conversation.seal(secret, authorization: authorization)
        }
    }

    package func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes {
        try converse { conversation throws(TrustedPlatformFailure) in
            try conversation.unseal(blob, authorization: authorization)
        }
    }

    package func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey {
        try converse(within: Self.keyPatience) { conversation throws(TrustedPlatformFailure) in
            try conversation.makeKey(kind)
        }
    }

    package func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8] {
        try converse { conversation throws(TrustedPlatformFailure) in try conversation.sign(digest, with: key) }
    }

    package func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes {
        try converse { conversation throws(TrustedPlatformFailure) in try conversation.decrypt(encrypted, with: key) }
    }

    package func counter() throws(TrustedPlatformFailure) -> UInt64? {
        try converse { conversation throws(TrustedPlatformFailure) in try conversation.counter() }
    }

    package func advanceCounter() throws(TrustedPlatformFailure) -> UInt64 {
        try converse { conversation throws(TrustedPlatformFailure) in try conversation.advanceCounter() }
    }

    /// Runs one conversation on the thread of `worker`.
    private func converse<T: Sendable>(
        within patience: Duration = patience,
        _ body: @escaping @Sendable (Conversation) throws(TrustedPlatformFailure) -> T
    ) throws(TrustedPlatformFailure) -> T {
        let (configuration, lock) = (configuration, lock)
        return try worker.run(within: patience) { () throws(TrustedPlatformFailure) -> T in
            let turn = try lock.map { path throws(TrustedPlatformFailure) in try ChipLock(path) }
            defer { withExtendedLifetime(turn) {} }
            let conversation = try Conversation(configuration, isAlone: !Self.isManaged(configuration))
            defer { conversation.end() }
            return try body(conversation)
        }
    }

    /// Whether a resource manager isolates the users of the TPM: the kernel's or tpm2-abrmd.
    private static func isManaged(_ configuration: String) -> Bool {
        configuration.contains("tpmrm") || configuration.hasPrefix("tabrmd")
    }
}
