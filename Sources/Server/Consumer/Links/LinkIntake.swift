import Storage
import Wire

/// Access to the store of links when a participant submits a link. It is opened for each link and closed afterwards.
package struct LinkIntake: Sendable {
    /// Opens the store of links; nil if the study has created no link.
    let store: @Sendable () async throws -> LinkStore?
    /// Returns the public link key; nil if there is none.
    let key: @Sendable () throws -> P256PublicKey?

    package init(
        store: @escaping @Sendable () async throws -> LinkStore?, key: @escaping @Sendable () throws -> P256PublicKey?
    ) {
        self.store = store
        self.key = key
    }

    /// Access for a study that has created no link.
    package static let none = LinkIntake(store: { nil }, key: { nil })

    /// Access to the links for one submission.
    enum Access: Sendable {
        /// No link was created.
        case none
        /// The store and the link key.
        case open(LinkStore, P256PublicKey)
        /// The store or the key is temporarily not readable.
        case unavailable

        func close() async {
            if case .open(let store, _) = self { try? await store.close() }
        }
    }

    func access() async -> Access {
        do {
            guard let key = try key(), let store = try await store() else { return .none }
            return .open(store, key)
        } catch {
            return .unavailable
        }
    }
}
