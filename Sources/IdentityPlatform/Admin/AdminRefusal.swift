// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AdminServer
package import HTTPTypes

/// Why an administrative act was refused. Messages do not name people.
package enum AdminRefusal: String, OperationRefusing, CaseIterable, Sendable {
    case malformed = "identity.malformed"
    case noTenant = "identity.tenant.missing"
    case noTenants = "identity.tenant.none"
    case ambiguousTenant = "identity.tenant.ambiguous"
    case unnamedTenant = "identity.tenant.unnamed"
    case tenantInUse = "identity.tenant.inUse"
    case noUser = "identity.user.missing"
    case noRole = "identity.role.missing"
    case lastAdministrator = "identity.role.last"
    case noClient = "identity.client.missing"
    case ambiguousClient = "identity.client.ambiguous"
    case noDevice = "identity.device.missing"
    case ambiguousDevice = "identity.device.ambiguous"
    case notJoined = "identity.device.notJoined"
    case noSession = "identity.session.missing"
    case noGroup = "identity.group.missing"
    case ambiguousGroup = "identity.group.ambiguous"
    case noReceiptSubject = "identity.receipt.subject.missing"
    case badNickname = "identity.group.nickname"
    case badColour = "identity.branding.colour"
    case badLogo = "identity.branding.logo"
    case badOfflineRules = "identity.offline.rules"
    case taken = "identity.name.taken"
    case badDomain = "identity.domain.malformed"
    case badUserName = "identity.user.name"
    case badDisplayName = "identity.display.name"
    case badText = "identity.text.malformed"
    case weakPassword = "identity.password.weak"
    case breachedPassword = "identity.password.breached"
    case passwordListUnreadable = "identity.password.list"
    case badClientID = "identity.client.id"
    case badRedirect = "identity.client.redirect"
    case tooManyRedirects = "identity.client.redirects"
    case unknownResource = "identity.client.resource"
    case unknownPermission = "identity.client.permission"
    case unknownAlgorithm = "identity.client.algorithm"
    case publicClient = "identity.client.public"
    case noSecret = "identity.client.secret.missing"
    case tooManySecrets = "identity.client.secrets"
    case ownClient = "identity.client.own"
    case badClientKey = "identity.client.key"
    case noClientKey = "identity.client.key.missing"
    case tooManyClientKeys = "identity.client.keys"
    case rotationPending = "identity.keys.pending"
    case noBreakGlass = "identity.breakGlass.missing"
    case breakGlassActive = "identity.breakGlass.active"
    case breakGlassDisabled = "identity.breakGlass.disabled"
    case breakGlassReason = "identity.breakGlass.reason"
    case breakGlassTime = "identity.breakGlass.minutes"
    case busy = "identity.busy"
    case fault = "identity.fault"

    package var status: HTTPResponse.Status { HTTPResponse.Status(integerLiteral: RefusalStatus.of(rawValue)) }

    package var headers: HTTPFields { self == .busy ? [.retryAfter: "5"] : [:] }

    package var failure: AdminFailure {
        let (message, remedy) = words
        return AdminFailure(code: rawValue, message: message, remedy: remedy)
    }

    private var words: AdminFailure.Words {
        switch self {
        case .malformed: AdminFailure.malformedBody
        case .noTenant: ("There is no such tenant.", "List the tenants: baton admin tenant list.")
        case .noTenants: AdminFailure.noTenants
        case .ambiguousTenant: AdminFailure.ambiguousTenant(.init([], of: 0))
        case .unnamedTenant:
            ("The request does not name the tenant to remove.", "Name the tenant by its domain or id.")
        case .tenantInUse:
            (
                "The tenant still has devices.",
                "Remove them first: baton admin device remove, baton admin device unenroll."
            )
        case .noUser: ("There is no such user in the tenant.", "List the users: baton admin user list.")
        case .noRole: ("There is no such directory role.", "List the roles: baton admin role list.")
        case .lastAdministrator:
            (
                "No other Global Administrator of the tenant is enabled.",
                "Assign the role to another person first: baton admin role add \"Global Administrator\" NAME. Or act on the "
                    + "server's machine, as root."
            )
        case .noClient: ("There is no such client in the tenant.", "List the clients: baton admin client list.")
        case .noDevice:
            (
                "There is no such device in the tenant.",
                "List the devices: baton admin device list; those under management: baton admin device managed."
            )
        case .ambiguousClient:
            ("Several clients have that name.", "Name the client by its id: baton admin client list.")
        case .ambiguousDevice:
            ("Several devices have that name.", "Name the device by its device id: baton admin device list.")
        case .notJoined:
            (
                "The device is under management, but not in the directory.",
                "Join the device (baton device join). To list the devices of the directory, run: baton admin device "
                    + "list."
            )
        case .noSession: ("There is no such session in the tenant.", "List the sessions: baton admin session list.")
        case .noGroup: ("There is no such group in the tenant.", "List the groups: baton admin group list.")
        case .ambiguousGroup: ("Several groups have that name.", "Name the group by its id: baton admin group list.")
        case .noReceiptSubject:
            (
                "The tenant did not create this pseudonym.",
                "Copy the whole subject from the receipt, and name the tenant of the receipt."
            )
        case .badNickname:
            ("The group's mail nickname is empty or malformed.", "Use 1 to 64 printable characters without @.")
        case .badColour:
            (
                "The colour is not #RRGGBB, or white text on it is hard to read.",
                "Choose a darker colour, such as #0b5cab (contrast with white at least 4.5:1)."
            )
        case .badLogo:
            (
                "The logo is not a PNG or JPEG image of at most 256 KiB.",
                "Give a smaller image, or convert it to PNG or JPEG."
            )
        case .badOfflineRules:
            (
                "The settings of offline sign-in are not valid.",
                "Name `password`, `pin` or `pin-without-tpm`, 60 s to a week, at most 100 starts and 1 to 20 attempts."
            )
        case .taken:
            (
                "The name or id is taken already.",
                "Choose another one, or use the list command to see which object has it: baton admin --help."
            )
        case .badDomain: ("The domain is not a host name.", "Give a domain such as contoso.example.")
        case .badUserName:
            ("The user principal name is malformed or outside the tenant's domain.", "Use name@domain of the tenant.")
        case .badDisplayName:
            (
                "The display name is too long, has nothing visible, or has a control or invisible character.",
                "Use 1 to 256 visible characters, without line breaks."
            )
        case .badText:
            (
                "A text is too long, has nothing visible, or has a control or invisible character.",
                "Use visible characters; docs/administration.md has the limits."
            )
        case .weakPassword:
            ("The password is too short or too long.", "Use at least 8 characters and at most 256 bytes.")
        case .breachedPassword:
            (
                "The password is known from a breach of another service.",
                "Choose a password that is not used anywhere else."
            )
        case .passwordListUnreadable:
            ("The list of breached passwords cannot be read.", "Check the file whose path is in server.json.")
        case .badClientID: ("The client id is malformed.", "Give a UUID, or leave it out for a fresh one.")
        case .badRedirect: ("A redirect URI is not acceptable.", "Use absolute URIs without fragment.")
        case .tooManyRedirects:
            (
                "A client can have at most 32 redirect URIs, and at most 32 for sign-out.",
                "Register another client for the remaining URIs."
            )
        case .unknownResource:
            (
                "The server does not know one of the resources.",
                "Use the application id of Graph, of device registration or of administration."
            )
        case .unknownPermission:
            ("No resource of the server has this permission.", "Use the names in docs/reference/identity-platform.md.")
        case .unknownAlgorithm: ("Tokens are not signed with that algorithm.", "Use RS256 or ES256.")
        case .publicClient:
            ("The client is public, so it has no secret.", "Register the application as a confidential client.")
        case .tooManySecrets:
            (
                "A client can have two secrets at a time.",
                "Remove the one that is no longer used: baton admin client remove-secret."
            )
        case .ownClient:
            (
                "The client is one of the server's own, without which people or devices cannot sign in.",
                "To stop its sign-ins for some time, disable it: baton admin client disable."
            )
        case .noSecret: ("The client has no such secret.", "List its secrets: baton admin client secrets.")
        case .badClientKey:
            (
                "The key is not one public key or certificate in PEM, with RSA of 2048 to 4096 bits or P-256.",
                "Give the output of openssl pkey -pubout, or a certificate."
            )
        case .noClientKey: ("The client has no such key.", "List its keys: baton admin client key list.")
        case .tooManyClientKeys:
            ("A client can have at most five keys.", "Remove one that is not used: baton admin client key remove.")
        case .rotationPending:
            ("New signing keys are already scheduled.", "Wait until they sign, or rotate immediately.")
        case .noBreakGlass:
            ("There is no such break-glass access in the tenant.", "List it: baton admin break-glass list.")
        case .breakGlassActive:
            (
                "The person has break-glass access already.",
                "Wait until it ends, or revoke it first: baton admin break-glass list, break-glass revoke."
            )
        case .breakGlassDisabled:
            ("The account is disabled, so nobody can sign in to it.", "Enable it first: baton admin user enable.")
        case .breakGlassReason:
            ("The reason is missing, too short or too long.", "Give the reason in 10 to 300 bytes, on one line.")
        case .breakGlassTime: ("Break-glass access lasts 1 to 240 minutes.", "Give --minutes in this range.")
        case .busy: ("Too many passwords are being hashed.", "Try again in a few seconds.")
        case .fault: AdminFailure.fault
        }
    }
}

extension AdminRefusal {
    /// Returns the same refusal with a message that names the object concerned.
    ///
    /// - Parameter candidates: the objects that an ambiguous name can mean.
    func naming(
        _ message: String, _ remedy: String? = nil, candidates: AdminFailure.Candidates? = nil
    ) -> NamedRefusal {
        NamedRefusal(refusal: self, message: message, remedy: remedy, candidates: candidates)
    }
}

/// A refusal of an administrative act. Its message names the object concerned, such as a device, but never a
/// person.
struct NamedRefusal: OperationRefusing {
    let refusal: AdminRefusal
    let message: String
    /// The remedy; nil for the refusal's default remedy.
    let remedy: String?
    let candidates: AdminFailure.Candidates?

    var status: HTTPResponse.Status { refusal.status }
    var failure: AdminFailure {
        AdminFailure(
            code: refusal.rawValue, message: message, remedy: remedy ?? refusal.failure.error.remedy,
            candidates: candidates)
    }
}
