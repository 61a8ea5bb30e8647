import Storage
import Synchronization

/// Limits the bytes of all responses in memory: from the first record of a response until its last byte is written.
///
/// Each response begins with ``first`` bytes, and callers wait for these in the order of their requests. A response
/// grows without waiting: where no bytes are free, a page ends early. So no response waits while it holds bytes that
/// another one waits for.
package final class AnswerBudget: Sendable {
    /// The bytes with which each response begins.
    package static let first = 1 << 20
    /// Maximum number of waiting callers.
    private static let maximumWaiting = 256

    /// Maximum number of bytes of all responses.
    package let bytes: Int
    /// Maximum number of bytes of the responses of one caller.
    var bytesOfCaller: Int { bytes / 4 }
    /// Maximum number of bytes that responses grow to. The rest is reserved for the first bytes of responses, so that
    /// large responses do not block small ones.
    private var bytesOfLarge: Int { bytes - bytes / 4 }
    private let patience: Duration
    private let state = Mutex(State())

    /// The error of a response for which no bytes are free in time.
    package struct Busy: Error {}

    private struct Waiting {
        let wait: Wait
        let caller: String
    }

    private struct State {
        var used = 0
        var ofCallers: [String: Int] = [:]
        var waiting: [Waiting] = []

        mutating func add(_ bytes: Int, _ caller: String) {
            used += bytes
            let left = ofCallers[caller, default: 0] + bytes
            ofCallers[caller] = left > 0 ? left : nil
        }
    }

    /// - Parameters:
    ///   - bytes: the maximum number of bytes of all responses.
    ///   - patience: the maximum waiting time of a caller.
    package init(bytes: Int = 256 << 20, patience: Duration = .seconds(10)) {
        self.bytes = bytes
        self.patience = patience
    }

    /// The bytes of all responses in memory.
    var bytesInFlight: Int { @inline(never) get { state.withLock { $0.used } } }

    /// Begins a response.
    ///
    /// - Throws: ``Busy`` where no bytes are free in time;
    ///   `CancellationError`.
    package func reserve(for caller: String) async throws -> AnswerReservation {
        if let wait = try begin(caller) {
            let ending = await wait.ending(within: patience)
            if ending != .granted { remove(wait) }
            if ending == .expired { throw Busy() }
            if ending == .cancelled { throw CancellationError() }
        }
        return AnswerReservation(self, caller)
    }

    /// Takes the first bytes; otherwise returns the wait for them.
    @inline(never)
    private func begin(_ caller: String) throws -> Wait? {
        try state.withLock { state in
            if isFree(Self.first, for: caller, upTo: bytes, in: state) {
                state.add(Self.first, caller)
                return nil
            }
            guard state.waiting.count < Self.maximumWaiting else { throw Busy() }
            let wait = Wait()
            state.waiting.append(Waiting(wait: wait, caller: caller))
            return wait
        }
    }

    @inline(never)
    private func remove(_ wait: Wait) { state.withLock { $0.waiting.removeAll { $0.wait === wait } } }

    private func isFree(_ more: Int, for caller: String, upTo limit: Int, in state: borrowing State) -> Bool {
        state.used + more <= limit && state.ofCallers[caller, default: 0] + more <= bytesOfCaller
    }

    @inline(never)
    fileprivate func take(_ more: Int, _ caller: String) -> Bool {
        state.withLock { state in
            guard isFree(more, for: caller, upTo: bytesOfLarge, in: state) else { return false }
            state.add(more, caller)
            return true
        }
    }

    @inline(never)
    fileprivate func give(_ count: Int, _ caller: String) {
        guard count > 0 else { return }
        state.withLock { state in
            state.add(-count, caller)
            var left: [Waiting] = []
            for waiting in state.waiting {
                guard isFree(Self.first, for: waiting.caller, upTo: bytes, in: state) else {
                    left.append(waiting)
                    continue
                }
                if waiting.wait.end(.granted) { state.add(Self.first, waiting.caller) }
            }
            state.waiting = left
        }
    }
}

/// The bytes of an ``AnswerBudget`` that one response holds. They are returned with the release of the last reference.
package final class AnswerReservation: Sendable {
    private let budget: AnswerBudget
    private let caller: String
    private let held = Mutex(AnswerBudget.first)

    fileprivate init(_ budget: AnswerBudget, _ caller: String) {
        self.budget = budget
        self.caller = caller
    }

    deinit { budget.give(held.withLock { $0 }, caller) }

    /// The bytes held.
    package var bytes: Int { @inline(never) get { held.withLock { $0 } } }

    /// Takes more bytes where they are free.
    @inline(never)
    package func grow(to count: Int) -> Bool {
        held.withLock { held in
            guard count > held else { return true }
            // Grows in steps, so that a page of many small records seldom asks the budget.
            let wanted = (count + Self.step - 1) / Self.step * Self.step
            guard budget.take(wanted - held, caller) else { return false }
            held = wanted
            return true
        }
    }

    /// Returns the bytes above a count to the budget.
    @inline(never)
    package func shrink(to count: Int) {
        let given = held.withLock { held in
            let given = max(0, held - max(0, count))
            held -= given
            return given
        }
        budget.give(given, caller)
    }

    private static let step = 1 << 20
}
