// SPDX-License-Identifier: Apache-2.0

/// The types of responses, from which clients choose how to read them.
package enum ResponseType: String, Sendable {
    case generic = "operation_generic_response"
    case accounts = "operation_get_accounts_response"
    case defaultAccount = "operation_get_default_account_response"
    case token = "operation_token_response"
    case ssoCookies = "operation_get_sso_cookies_response"
    case browserNativeMessage = "operation_browser_native_message_response"
    case deviceToken = "baton_device_token_response"
}

extension FlatMap {
    /// Returns a successful response to `operation`: its own entries, the common entries, and the entries of the device
    /// if the device's mode is known.
    package static func response(
        to operation: Operation, type: ResponseType, device: DeviceInfo?, entries: FlatMap = FlatMap()
    ) -> FlatMap {
        var map = device?.entries ?? FlatMap()
        map[.operation] = operation.rawValue
        map[.responseType] = type.rawValue
        map.set(.success, flag: true)
        map.merge(entries)
        return map
    }
}
