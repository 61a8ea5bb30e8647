/// A route of the receiver, and the credentials that it requires.
struct ExpectedRoute: Sendable, Hashable {
    enum Proof: String, Sendable, CaseIterable {
        /// None.
        case none
        /// The antispam word and an app receipt.
        case antispamAndReceipt
        /// A client's id and secret.
        case clientSecret
        /// The antispam word and a device's access token.
        case antispamAndDeviceToken
        /// A device's access token.
        case deviceToken
        /// A device's or the staff's token: published content, whose routes precede those of another module.
        /// ``PublishedReadingTests`` covers the paths that the records have too.
        case deviceOrStaffToken
    }

    let method: String
    let path: String
    let proof: Proof

    /// All routes, below the root and below `/c3pro`.
    static let table =
        ["", "/c3pro"].flatMap { prefix in
            below.map { ExpectedRoute(method: $0.0, path: prefix + $0.1, proof: $0.2) }
        }
        + ["Questionnaire", "ValueSet", "Contract"].flatMap { ["/c3pro/fhir/\($0)", "/c3pro/fhir/\($0)/:id"] }.map {
            ExpectedRoute(method: "GET", path: $0, proof: .deviceOrStaffToken)
        }

    private static let below: [(String, String, Proof)] =
        [
            ("POST", "/register", .antispamAndReceipt),
            ("POST", "/oauth", .clientSecret),
            ("POST", "/oauth/token", .clientSecret),
            ("POST", "/fhir/:type", .antispamAndDeviceToken),
            ("PUT", "/fhir/:type/:id", .antispamAndDeviceToken),
            ("GET", "/.well-known/jwks.json", .none),
            ("GET", "/study/consent", .none),
            ("GET", "/study/keys", .none),
            ("GET", "/study/health-types.json", .deviceToken),
            ("GET", "/study/health-sync.json", .deviceToken),
            ("GET", "/deliveries", .deviceToken),
            ("GET", "/health", .none),
        ]
        + ["/encfhir", "/fhirenc"].flatMap { root in
            ["", "/:type", "/:type/:id"].flatMap { path in
                ["POST", "PUT"].map { ($0, root + path, Proof.antispamAndDeviceToken) }
            }
        }
}
