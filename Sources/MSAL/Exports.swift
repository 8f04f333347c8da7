// SPDX-License-Identifier: Apache-2.0

// `import MSAL` brings these along, as it brings Foundation, UIKit and WebKit on Apple's systems, so that one source
// file compiles on both.
@_exported public import Dispatch
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
