// SPDX-License-Identifier: Apache-2.0
import AdminAPI

/// A call of any operation that changes nothing: it names objects that do not exist, or has a body that is not
/// complete. Such a call still shows whether the caller may call the operation, because this is checked first.
enum Attempt {
    static func places(of operation: AdminOperation) -> [String: String] {
        let missing = [
            "tenant": "-", "user": "missing@contoso.test", "role": "Directory Readers",
            "permission": "Organization.Read.All", "profile": "org.contoso.missing", "app": "org.contoso.missing",
        ]
        return Dictionary(uniqueKeysWithValues: operation.places.map { ($0.name, missing[$0.name] ?? "missing") })
    }

    static func query(of operation: AdminOperation) -> [(String, String)] {
        operation.query.filter(\.isRequired).map { ($0.name, $0.name == QueryParameter.from.name ? "0" : "1") }
    }

    static func body(of operation: AdminOperation) -> String? { operation.body() == nil ? nil : "{}" }
}
