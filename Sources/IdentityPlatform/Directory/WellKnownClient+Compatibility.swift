// SPDX-License-Identifier: Apache-2.0
internal import OAuth

extension WellKnownClient {
    /// Returns third-party public applications, with the ids that are built into the vendors' clients. A tenant gets
    /// them only if its operator adds them, because any program can use these ids.
    static func compatibilityPack(names: IdentityConfiguration.Names) -> [WellKnownClient] {
        [
            app(
                "04b07795-8ddb-461a-bbee-02f9e1bf7b46", "Azure CLI", names: names, permissions: GraphPermission.allCases
            ),
            app(
                "1950a258-227b-4e31-a9cf-717495945fc2", "Azure PowerShell", names: names,
                permissions: GraphPermission.allCases
            ),
            app("d3590ed6-52b3-4102-aeff-aad2292ab01c", "Office", names: names),
            app("38aa3b87-a06d-4817-b275-7a316988d93b", "Windows Sign In", names: names, isBroker: true),
            app(
                "4813382a-8fa7-425e-ab75-3b753aab3abb", "Authenticator App", names: names,
                redirects: ["msauth://com.azure.authenticator", "msauth://Microsoft.AAD.BrokerPlugin"]),
            app("9ba1a5c7-f17a-4de9-a1f1-6178c8d51223", "Company Portal", names: names, redirects: companyPortal),
            app(
                "b743a22d-6705-4147-8670-d92fa515ee2b", "Company Portal for Linux", names: names,
                redirects: companyPortal + ["himmelblau://Himmelblau.EntraId.BrokerPlugin"]),
        ].compactMap(\.self)
    }

    private static let companyPortal = ["companyportal://com.microsoft.CompanyPortal"]

    private static func app(
        _ id: String, _ displayName: String, names: IdentityConfiguration.Names, redirects: [String] = [],
        permissions: [GraphPermission] = [], isBroker: Bool = false
    ) -> WellKnownClient? {
        let native = "/common/oauth2/nativeclient"
        return WellKnownClient(
            id, displayName,
            redirectURIs: [
                "http://localhost", "http://127.0.0.1", "ms-appx-web://Microsoft.AAD.BrokerPlugin/\(id)",
                "https://login.microsoftonline.com\(native)", names.origin(of: names.login) + native,
            ] + redirects,
            resources: [ResourceCatalogue.graphApplication, ResourceCatalogue.deviceRegistrationApplication],
            permissions: permissions, isBroker: isBroker)
    }
}
