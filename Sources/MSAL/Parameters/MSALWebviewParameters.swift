// SPDX-License-Identifier: Apache-2.0

/// The object that presents a sign-in page: a view controller on Apple's systems. In this library it may be any object,
/// because the broker shows the page.
public typealias MSALViewController = AnyObject

/// How a sign-in page is shown.
#if canImport(ObjectiveC)
    @objc(MSALWebviewParameters) @objcMembers
#endif
open class MSALWebviewParameters: NSObject, NSCopying {
    /// The object on which the app presents pages. The library does not use it.
    open var parentViewController: MSALViewController
    /// Whether the page should not keep cookies.
    ///
    /// The browser of a shared device deletes them at sign-out in any case.
    open var prefersEphemeralWebBrowserSession = false
    /// The view that shows the page.
    open var webviewType: MSALWebviewType = .default

    /// Makes parameters that present on `parentViewController`.
    public init(authPresentationViewController parentViewController: MSALViewController) {
        self.parentViewController = parentViewController
        super.init()
    }

    /// Makes parameters that present on `parentViewController`. Versions before 1.1.2 use this name.
    @available(*, deprecated, renamed: "init(authPresentationViewController:)")
    public convenience init(parentViewController: MSALViewController) {
        self.init(authPresentationViewController: parentViewController)
    }

    /// Makes parameters without a presenting object, as versions before 2.0 allowed; the broker has its own window.
    @available(*, deprecated, message: "Use init(authPresentationViewController:).")
    public convenience override init() { self.init(authPresentationViewController: NSObject()) }

    /// Returns the parameters to use if an app has given none.
    static func presentingNothing() -> MSALWebviewParameters {
        MSALWebviewParameters(authPresentationViewController: NSObject())
    }

    /// Returns a copy that presents on the same object.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> MSALWebviewParameters {
        let copy = MSALWebviewParameters(authPresentationViewController: parentViewController)
        copy.prefersEphemeralWebBrowserSession = prefersEphemeralWebBrowserSession
        copy.webviewType = webviewType
        return copy
    }
}
