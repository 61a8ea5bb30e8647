import Storage
import Trust

/// Who asks for records.
struct RecordCaller: Sendable {
    /// What they may do, as it was known when they began to ask.
    let grant: AccessGrant
    /// Whose grant is looked at again where something comes of it; nil for one that is as it was.
    private let bearer: Bearer?

    init(_ grant: AccessGrant) {
        self.grant = grant
        bearer = nil
    }

    init(_ bearer: Bearer) {
        grant = bearer.grant
        self.bearer = bearer
    }

    /// What they may do now; nil where that is nothing any more.
    func grant(_ access: AccessControl, in transaction: any SQLTransaction) throws -> AccessGrant? {
        guard let bearer else { return grant }
        return try access.grant(of: bearer, in: transaction)
    }
}
