// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The paths of the devices' endpoints; each contains a tenant.
enum DevicePath {
    static let server = "/mdm/{tenant}"
    static let manifest = "/mdm/{tenant}/manifests/{app}/{version}"
    static let package = "/mdm/{tenant}/packages/{digest}"

    fileprivate static func filled(_ template: String, _ places: [String: String]) -> String {
        places.reduce(template) { path, place in
            path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0 == "{\(place.key)}" ? Substring(place.value) : $0 }.joined(separator: "/")
        }
    }
}

/// The URLs that the server gives to devices.
struct DeviceAddresses: Sendable {
    /// `https://<name>[:<port>]`, without a trailing slash.
    let base: String

    func server(of tenant: TenantID) -> String {
        base + DevicePath.filled(DevicePath.server, ["tenant": tenant.rawValue])
    }

    func package(_ digest: String, tenant: TenantID) -> String {
        base + DevicePath.filled(DevicePath.package, ["tenant": tenant.rawValue, "digest": digest])
    }

    func manifest(of app: String, version: String, tenant: TenantID) -> String {
        let places = ["tenant": tenant.rawValue, "app": app, "version": version]
        return base + DevicePath.filled(DevicePath.manifest, places)
    }
}
