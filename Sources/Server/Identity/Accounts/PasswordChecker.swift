import Core
import Dispatch
import Foundation
import Synchronization

/// Checks passwords one by one on a thread of its own, from a bounded queue: each check takes 32 MB and tens of
/// milliseconds of processor time.
///
/// Known browsers come first. The others alternate: first between wide address prefixes, then between the narrow
/// prefixes within each. An address that floods the queue delays only itself.
package final class PasswordChecker: Sendable {
    /// Origin of a password.
    package struct Origin: Sendable, Hashable {
        /// Prefix that a provider assigns: an IPv6 /48, an IPv4 /24.
        package let wide: String
        /// Prefix of one subscriber: an IPv6 /56, an IPv4 address.
        package let narrow: String
        /// Whether a person signed in with the same account from this browser before.
        package let isKnown: Bool

        package init(wide: String, narrow: String, isKnown: Bool = false) {
            self.wide = wide
            self.narrow = narrow
            self.isKnown = isKnown
        }
    }

    private struct State {
        var waiting = PasswordQueue()
        var isRunning = false
    }

    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "tributary.passwords")

    package init() {}

    /// Number of waiting checks.
    var waiting: Int { @inline(never) get { state.withLock { $0.waiting.count } } }

    /// Checks whether a password has this hash. A right password with an older hash gets a new one, in the same turn.
    ///
    /// - Parameters:
    ///   - cost: the cost of new hashes.
    ///   - salt: the salt of a new hash.
    /// - Throws: ``PasswordQueueError`` if too many checks wait.
    func check(
        _ password: String, against hash: PasswordHash, cost: PasswordHash.Cost, salt: Data, from origin: Origin
    ) async throws(PasswordQueueError) -> PasswordCheck {
        try await run(from: origin) {
            guard hash.matches(password, spending: cost) else { return PasswordCheck(isRight: false, renewed: nil) }
            let renewed = hash.isOlder(than: cost) ? try? PasswordHash(of: password, salt: salt, cost: cost) : nil
            return PasswordCheck(isRight: true, renewed: renewed)
        }
    }

    /// Runs `work` when its turn comes.
    func run<Outcome: Sendable>(
        from origin: Origin, _ work: @escaping @Sendable () -> Outcome
    ) async throws(PasswordQueueError) -> Outcome {
        let outcome: Outcome? = await withCheckedContinuation { continuation in
            let item = PasswordQueue.Item(
                run: { continuation.resume(returning: work()) }, refuse: { continuation.resume(returning: nil) })
            let (refused, mustStart) = add(item, from: origin)
            for item in refused { item.refuse() }
            if mustStart { thread.async { self.drain() } }
        }
        guard let outcome else { throw PasswordQueueError() }
        return outcome
    }

    @inline(never)
    private func add(_ item: PasswordQueue.Item, from origin: Origin) -> (
        refused: [PasswordQueue.Item], mustStart: Bool
    ) {
        state.withLock { state -> ([PasswordQueue.Item], Bool) in
            let refused = state.waiting.add(item, from: origin)
            let mustStart = !state.isRunning && state.waiting.count > 0
            if mustStart { state.isRunning = true }
            return (refused, mustStart)
        }
    }

    @inline(never)
    private func drain() {
        while true {
            let next = state.withLock { state -> PasswordQueue.Item? in
                let next = state.waiting.next()
                if next == nil { state.isRunning = false }
                return next
            }
            guard let next else { return }
            next.run()
        }
    }
}

/// The result of a password check.
struct PasswordCheck: Sendable, Hashable {
    /// Whether the password is right.
    let isRight: Bool
    /// The new hash of a right password whose stored hash is older; nil for all others.
    let renewed: PasswordHash?
}

/// Error: too many password checks wait.
package struct PasswordQueueError: CodedError, Hashable {
    package let code = "sign-in-busy"
    package let message = "Too many people sign in at the moment. Try again in a few seconds."
}

/// Order of the password checks. Pure.
struct PasswordQueue {
    struct Item: Sendable {
        /// Performs the check and passes on its result.
        let run: @Sendable () -> Void
        /// Reports that the check is refused.
        let refuse: @Sendable () -> Void
    }

    /// Checks of one narrow prefix, in order.
    private struct Line {
        let narrow: String
        var items: [Item]
    }

    /// Lines of one wide prefix; the first one is next.
    private struct Group {
        let wide: String
        var lines: [Line]
        var count: Int { lines.reduce(0) { $0 + $1.items.count } }
    }

    /// Maximum numbers of waiting checks, of known browsers and of all others.
    static let maximumKnown = 16
    static let maximumOthers = 48
    /// Maximum numbers of waiting checks of one wide and of one narrow prefix.
    static let maximumOfWide = 16
    static let maximumOfNarrow = 8

    private var known: [Item] = []
    private var groups: [Group] = []

    /// Number of waiting checks.
    var count: Int { known.count + others }
    private var others: Int { groups.reduce(0) { $0 + $1.count } }

    /// Adds a check.
    ///
    /// A full queue refuses the last check of the largest group, unless that group is not larger than the new check's
    /// group would be.
    ///
    /// - Returns: the refused checks, possibly including the new one.
    mutating func add(_ item: Item, from origin: PasswordChecker.Origin) -> [Item] {
        if origin.isKnown, known.count < Self.maximumKnown {
            known.append(item)
            return []
        }
        let own = groups.firstIndex { $0.wide == origin.wide }
        let count = own.map { groups[$0].count } ?? 0
        let line = own.flatMap { index in groups[index].lines.first { $0.narrow == origin.narrow } }
        guard count < Self.maximumOfWide, line?.items.count ?? 0 < Self.maximumOfNarrow else { return [item] }
        var refused: [Item] = []
        if others >= Self.maximumOthers {
            guard let largest = groups.indices.max(by: { groups[$0].count < groups[$1].count }),
                groups[largest].count > count + 1, let last = removeLast(of: largest)
            else { return [item] }
            refused = [last]
        }
        append(item, from: origin)
        return refused
    }

    private mutating func append(_ item: Item, from origin: PasswordChecker.Origin) {
        guard let index = groups.firstIndex(where: { $0.wide == origin.wide }) else {
            groups.append(Group(wide: origin.wide, lines: [Line(narrow: origin.narrow, items: [item])]))
            return
        }
        if let line = groups[index].lines.firstIndex(where: { $0.narrow == origin.narrow }) {
            groups[index].lines[line].items.append(item)
        } else {
            groups[index].lines.append(Line(narrow: origin.narrow, items: [item]))
        }
    }

    /// Removes the last check of the longest line of a group.
    private mutating func removeLast(of group: Int) -> Item? {
        let lines = groups[group].lines
        guard let line = lines.indices.max(by: { lines[$0].items.count < lines[$1].items.count }) else { return nil }
        let item = groups[group].lines[line].items.popLast()
        if groups[group].lines[line].items.isEmpty { groups[group].lines.remove(at: line) }
        if groups[group].lines.isEmpty { groups.remove(at: group) }
        return item
    }

    /// Removes the next check. Its group and its line move to the end.
    mutating func next() -> Item? {
        if !known.isEmpty { return known.removeFirst() }
        guard !groups.isEmpty else { return nil }
        var group = groups.removeFirst()
        var line = group.lines.removeFirst()
        let item = line.items.removeFirst()
        if !line.items.isEmpty { group.lines.append(line) }
        if !group.lines.isEmpty { groups.append(group) }
        return item
    }
}
