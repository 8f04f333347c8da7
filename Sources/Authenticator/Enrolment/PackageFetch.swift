// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceManagement
internal import FoundationEssentials

/// A package that lies in its place, its digest checked.
struct FetchedPackage: Sendable {
    let manifest: AppManifest
    /// Below the folder of apps.
    let path: String
}

/// Why an app was not installed.
struct PackageFailure: Error {
    let problem: CommandProblem
    let detail: String
    /// Nil where not even the manifest could be read.
    let identifier: String?
}

/// Fetches manifest and package, checks the digest, and only then puts the package in its place.
struct PackageFetch: Sendable {
    let client: any HTTPSending
    let store: ManagementStore
    let queue: BlockingQueue

    func fetch(manifestURL: String) async throws(PackageFailure) -> FetchedPackage {
        let manifest = try await manifest(at: manifestURL)
        func failure(_ problem: CommandProblem, _ detail: String) -> PackageFailure {
            PackageFailure(problem: problem, detail: detail, identifier: manifest.bundleIdentifier)
        }
        let store = store
        let draft = store.incoming.path + "/" + UUID().uuidString
        let file: DraftFile
        do {
            file = try await queue.run {
                try store.incoming.make()
                return try DraftFile(path: draft)
            }
        } catch { throw failure(.storageFailed, "\(error)") }
        do {
            let queue = queue
            let status = try await client.download(manifest.url, limit: Int(manifest.size)) { piece in
                try await queue.run { try file.append(piece) }
            }
            guard status == 200 else { throw failure(.downloadFailed, "the package was answered with \(status)") }
            let digest = try await queue.run { try file.finish() }
            guard digest == manifest.sha256 else {
                throw failure(.digestWrong, "the package's digest is not the manifest's")
            }
            let path = try await queue.run { try store.place(draft, manifest: manifest) }
            return FetchedPackage(manifest: manifest, path: path)
        } catch {
            do { _ = try await queue.run { try AtomicFile(path: draft).remove() } } catch {
                // The sweep at the next start removes it.
            }
            switch error {
            case let error as PackageFailure: throw error
            case let error as HTTPSError where error.code == .tooLarge:
                throw failure(.digestWrong, "the package is larger than the manifest says")
            case let error as FileError: throw failure(.storageFailed, "\(error)")
            default: throw failure(.downloadFailed, "\(error)")
            }
        }
    }

    private func manifest(at url: String) async throws(PackageFailure) -> AppManifest {
        do {
            let answer = try await client.send(HTTPSClient.Request(method: "GET", url: url))
            guard answer.status == 200 else {
                throw PackageFailure(
                    problem: .downloadFailed, detail: "the manifest was answered with \(answer.status)", identifier: nil
                )
            }
            return try AppManifest(propertyList: PropertyList(xml: answer.body))
        } catch let error as PackageFailure { throw error } catch let error as HTTPSError {
            throw PackageFailure(problem: .downloadFailed, detail: "\(error)", identifier: nil)
        } catch {
            throw PackageFailure(problem: .manifestRefused, detail: "\(error)", identifier: nil)
        }
    }
}
