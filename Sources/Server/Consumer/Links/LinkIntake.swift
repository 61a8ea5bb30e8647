import Storage
import Wire

/// Where links that participants hand in are looked up: opened when one comes, and closed after it.
public struct LinkIntake: Sendable {
    /// Opens the store of links; nil where the study has made no link.
    let store: @Sendable () async throws -> LinkStore?
    /// The public half of the key that signs links; nil where there is none.
    let key: @Sendable () throws -> P256PublicKey?

    public init(
        store: @escaping @Sendable () async throws -> LinkStore?, key: @escaping @Sendable () throws -> P256PublicKey?
    ) {
        self.store = store
        self.key = key
    }

    /// A study that has made no link.
    public static let none = LinkIntake(store: { nil }, key: { nil })

    /// What is there when a link comes.
    enum Access: Sendable {
        /// No link was made.
        case none
        /// The store and the key of links.
        case open(LinkStore, P256PublicKey)
        /// The store or the key cannot be read for the moment.
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
