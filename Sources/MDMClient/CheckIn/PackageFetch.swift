// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceHTTPS
internal import Files
internal import FoundationEssentials
internal import MDMProtocol
internal import Processes

/// A package at its final path, with a verified digest.
struct FetchedPackage: Sendable {
    let manifest: AppManifest
    /// The path, relative to the folder of apps.
    let path: String
}

/// Why an app cannot be installed as the command requests. The same command would fail again.
struct PackageFailure: Error {
    let problem: CommandProblem
    let detail: String
    /// Nil if not even the manifest could be read.
    let identifier: String?
}

/// Why a package could not be fetched this time: the network, the server or this process failed. The server keeps the
/// command.
struct PackageInterrupted: Error {
    let detail: String
}

/// Fetches manifest and package, verifies the digest, and only then moves the package to its final path.
struct PackageFetch: Sendable {
    let client: any HTTPSending
    let store: MDMStore
    let queue: BlockingQueue

    /// - Throws: ``PackageFailure`` or ``PackageInterrupted``.
    func fetch(manifestURL: String) async throws -> FetchedPackage {
        let manifest = try await manifest(at: manifestURL)
        let draft = store.incoming.path + "/" + UUID().uuidString
        do {
            return FetchedPackage(manifest: manifest, path: try await package(of: manifest, draft: draft))
        } catch {
            do { _ = try await queue.run { try AtomicFile(path: draft).remove() } } catch {
                // The sweep at the next start removes the draft.
            }
            let identifier = manifest.bundleIdentifier
            if let error = error as? FileError {
                throw PackageFailure(problem: .storageFailed, detail: "\(error)", identifier: identifier)
            }
            throw Self.judged(error, tooLarge: .digestWrong, identifier: identifier)
        }
    }

    private func package(of manifest: AppManifest, draft: String) async throws -> String {
        let (store, queue) = (store, queue)
        let file = try await queue.run {
            try store.incoming.make()
            return try DigestedFile(path: draft)
        }
        let status = try await client.download(manifest.url, limit: Int(manifest.size)) { piece in
            try await queue.run { try file.append(piece) }
        }
        try Self.check(status, of: "package", identifier: manifest.bundleIdentifier)
        guard try await queue.run({ try file.finish() }) == manifest.sha256 else {
            throw PackageFailure(
                problem: .digestWrong, detail: "the package's digest does not match the manifest",
                identifier: manifest.bundleIdentifier)
        }
        return try await queue.run { try store.place(draft, manifest: manifest) }
    }

    private func manifest(at url: String) async throws -> AppManifest {
        let answer: HTTPSClient.Response
        do { answer = try await client.send(HTTPSClient.Request(method: "GET", url: url)) } catch {
            throw Self.judged(error, tooLarge: .manifestRefused, identifier: nil)
        }
        try Self.check(answer.status, of: "manifest", identifier: nil)
        do { return try AppManifest(propertyList: PropertyList(xml: answer.body)) } catch {
            throw PackageFailure(problem: .manifestRefused, detail: "\(error)", identifier: nil)
        }
    }

    private static func check(_ status: Int, of thing: String, identifier: String?) throws {
        let detail = "the request for the \(thing) was answered with \(status)"
        if HTTPStatus.mayPass(status) { throw PackageInterrupted(detail: detail) }
        guard status == 200 else {
            throw PackageFailure(problem: .downloadFailed, detail: detail, identifier: identifier)
        }
    }

    /// Classifies an error. An error that is not known to be permanent counts as temporary.
    private static func judged(_ error: any Error, tooLarge: CommandProblem, identifier: String?) -> any Error {
        switch error {
        case is PackageFailure, is PackageInterrupted: return error
        case let error as HTTPSError where error.code == .tooLarge:
            return PackageFailure(problem: tooLarge, detail: "it is larger than allowed", identifier: identifier)
        case let error as HTTPSError where error.code == .invalidURL:
            return PackageFailure(problem: .manifestRefused, detail: "\(error)", identifier: identifier)
        default: return PackageInterrupted(detail: "\(error)")
        }
    }
}
