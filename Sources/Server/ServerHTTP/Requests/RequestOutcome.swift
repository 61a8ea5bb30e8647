import Core
import Synchronization

/// The outcome of a request, told from a route outwards to those who count it and log it.
public final class RequestOutcome: Sendable {
    struct State {
        var caller: String?
        /// The stable code of what it was refused with.
        var code: String?
        /// The cause of the refusal: the error's own code or, where it has none, its type. An error's text may repeat what
        /// was sent.
        var cause: String?
    }

    private let state = Mutex(State())

    /// The id of the one who asked, once they have proved it; nobody's name.
    public var caller: String? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// All that was told.
    var told: State { @inline(never) get { state.withLock { $0 } } }

    @inline(never)
    func refuse(_ refusal: some Refusal, because error: any Error) {
        let cause = (error as? any CodedError)?.code ?? String(describing: type(of: error))
        state.withLock {
            $0.code = refusal.code
            $0.cause = cause
        }
    }
}
