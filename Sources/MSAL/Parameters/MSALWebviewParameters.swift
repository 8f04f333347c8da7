// SPDX-License-Identifier: Apache-2.0

/// What presents a sign-in page: a view controller on Apple's systems; here any object, for the broker presents.
public typealias MSALViewController = AnyObject

/// How a sign-in page is shown.
open class MSALWebviewParameters: NSObject, NSCopying {
    /// The app's presenter, as given.
    open var parentViewController: MSALViewController

    /// Presents on `parentViewController`.
    public init(authPresentationViewController parentViewController: MSALViewController) {
        self.parentViewController = parentViewController
    }

    /// A copy that presents on the same object.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> MSALWebviewParameters {
        MSALWebviewParameters(authPresentationViewController: parentViewController)
    }
}
