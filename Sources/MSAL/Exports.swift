// SPDX-License-Identifier: Apache-2.0

// `import MSAL` also imports the modules below. On Apple's systems `import MSAL` also imports Foundation, UIKit and
// WebKit. One source file therefore compiles on Linux and on Apple's systems. FoundationNetworking is left out, because
// it would load an HTTP stack into every app.
@_exported public import Dispatch
@_exported public import Foundation
