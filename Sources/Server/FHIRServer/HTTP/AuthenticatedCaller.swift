import AccessPolicy
import Identity
import Storage

/// The caller of a request for records.
struct AuthenticatedCaller: Sendable {
    /// The grant at the start of the request.
    let grant: AccessGrant
    /// The bearer whose grant is checked again in the transaction; nil where the grant is not cached.
    private let bearer: Bearer?

    init(_ grant: AccessGrant) {
        self.grant = grant
        bearer = nil
    }

    init(_ bearer: Bearer) {
        grant = bearer.grant
        self.bearer = bearer
    }

    /// Returns the current grant; nil where it has ended.
    func grant(_ access: AccessStores, in transaction: any SQLTransaction) throws -> AccessGrant? {
        guard let bearer else { return grant }
        return try access.tokens.grant(of: bearer, in: transaction)
    }
}
