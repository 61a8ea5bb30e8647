import Core
import Synchronization

/// The outcome of a request, reported by its route to the middlewares that count and log it.
package final class RequestOutcome: Sendable {
    struct State {
        var caller: String?
        /// The stable code of the refusal.
        var code: String?
        /// The cause of the refusal: the error's own code, or its type if it has none. Not the error's text, which may
        /// repeat parts of the request.
        var cause: String?
    }

    private let state = Mutex(State())

    /// The id of the caller, once authenticated. Not a person's name.
    package var caller: String? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// The reported state.
    var reported: State { @inline(never) get { state.withLock { $0 } } }

    @inline(never)
    func refuse(_ refusal: some HTTPRefusal, because error: any Error) {
        let cause = (error as? any CodedError)?.code ?? String(describing: type(of: error))
        state.withLock {
            $0.code = refusal.code
            $0.cause = cause
        }
    }
}
