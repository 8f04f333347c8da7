// SPDX-License-Identifier: Apache-2.0

// `import MSAL` also imports these, as it imports Foundation, UIKit and WebKit on Apple's systems, so that one source
// file compiles on both. FoundationNetworking is left out: it would load an HTTP stack into every app.
@_exported public import Dispatch
@_exported public import Foundation
