/// One route of the receiver. The routes are data: what is registered and what the tests cover are both this table.
public struct ReceiverRoute: Sendable, Hashable {
    /// What answers.
    public enum Endpoint: String, Sendable, CaseIterable {
        case register, token, submit, plainWrite, questionnaire, keys, deliveries, health
    }

    /// What one must show.
    public enum Proof: String, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// The antispam word and an app receipt.
        case antispamAndReceipt
        /// A client's id and secret.
        case clientSecret
        /// The antispam word and a device's access token.
        case antispamAndDeviceToken
        /// A device's access token.
        case deviceToken
        /// A device's or the staff's token.
        case deviceOrStaffToken
    }

    /// The HTTP method.
    public let method: String
    /// The path with `:type` and `:id` for its parameters.
    public let path: String
    public let endpoint: Endpoint
    public let proof: Proof

    /// All routes, below the root and below `/c3pro`.
    public static let table: [ReceiverRoute] = ["", "/c3pro"].flatMap { prefix in
        below.map { ReceiverRoute(method: $0.method, path: prefix + $0.path, endpoint: $0.endpoint, proof: $0.proof) }
    }

    private static let below: [ReceiverRoute] = {
        var routes = [
            ReceiverRoute(method: "POST", path: "/register", endpoint: .register, proof: .antispamAndReceipt),
            ReceiverRoute(method: "POST", path: "/oauth", endpoint: .token, proof: .clientSecret),
            ReceiverRoute(method: "POST", path: "/oauth/token", endpoint: .token, proof: .clientSecret),
        ]
        for root in ["/encfhir", "/fhirenc"] {
            for path in [root, root + "/:type", root + "/:type/:id"] {
                for method in ["POST", "PUT"] {
                    routes.append(
                        ReceiverRoute(method: method, path: path, endpoint: .submit, proof: .antispamAndDeviceToken))
                }
            }
        }
        routes += [
            ReceiverRoute(
                method: "POST", path: "/fhir/:type", endpoint: .plainWrite, proof: .antispamAndDeviceToken),
            ReceiverRoute(
                method: "PUT", path: "/fhir/:type/:id", endpoint: .plainWrite, proof: .antispamAndDeviceToken),
            ReceiverRoute(
                method: "GET", path: "/fhir/Questionnaire/:id", endpoint: .questionnaire, proof: .deviceOrStaffToken),
            ReceiverRoute(method: "GET", path: "/.well-known/jwks.json", endpoint: .keys, proof: .none),
            ReceiverRoute(method: "GET", path: "/deliveries", endpoint: .deliveries, proof: .deviceToken),
            ReceiverRoute(method: "GET", path: "/health", endpoint: .health, proof: .none),
        ]
        return routes
    }()

    /// The path's parameters if it fits this route.
    func match(_ components: [Substring]) -> [Substring: Substring]? {
        let template = path.split(separator: "/")
        guard template.count == components.count else { return nil }
        var parameters: [Substring: Substring] = [:]
        for (part, component) in zip(template, components) {
            if part.first == ":" {
                parameters[part.dropFirst()] = component
            } else if part != component {
                return nil
            }
        }
        return parameters
    }
}
