#if canImport(CareKitStore)
    import CareKitStore
    import CarePlans
    import Foundation

    /// The state of a synchronizer: one sync has the turn, and others wait.
    @available(iOS 18, macOS 15, watchOS 11, *)
    struct CareKitSyncState {
        /// The work of the sync with the turn.
        enum Phase: Equatable {
            case idle
            /// The synchronizer reads the server's answer and hands it over.
            case pulling(turn: Int)
            /// CareKit resolves conflicts and saves; it calls `pushRevisions` unless the save fails.
            case resolving(turn: Int)
            case pushing(turn: Int)
        }

        weak var delegate: (any OCKRemoteSynchronizationDelegate)?
        weak var store: OCKStore?
        var phase = Phase.idle
        var turns = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The choices of the app that CareKit waits for, and all choices so far.
        var openChoices = 0
        var choices = 0
        /// Syncs in sequence in which the store got nothing because it has to push first.
        var postponed = 0
        /// Whether the sync with the turn handed nothing over.
        var isPostponed = false
        /// The knowledge that the server has announced or handed over, and that the store has sent; nil before the first sync.
        var heard: KnowledgeVector?
        var listener: Task<Void, Never>?
    }

    @available(iOS 18, macOS 15, watchOS 11, *)
    extension CareKitSynchronizer {
        /// Maximum number of further syncs that are requested in sequence because the store had to push first.
        static let maximumRequests = 3

        /// Waits until no other sync has the turn, and takes it; nil if too many wait.
        func takeTurn() async -> Int? {
            guard !hasTooManyWaiting() else { return nil }
            await withCheckedContinuation { enter($0) }
            return startTurn()
        }

        @inline(never)
        private func hasTooManyWaiting() -> Bool {
            state.withLock { $0.waiting.count >= Self.maximumWaitingSyncs }
        }

        /// A waiter is resumed with the turn already reserved for it.
        @inline(never)
        private func enter(_ continuation: CheckedContinuation<Void, Never>) {
            let isFree = state.withLock { state in
                guard state.phase == .idle else {
                    state.waiting.append(continuation)
                    return false
                }
                state.phase = .pulling(turn: state.turns + 1)
                return true
            }
            if isFree { continuation.resume() }
        }

        @inline(never)
        private func startTurn() -> Int {
            state.withLock { state in
                state.turns += 1
                state.isPostponed = false
                return state.turns
            }
        }

        /// Ends a turn and gives the next one to the first sync that waits. A turn that has ended already is ignored.
        @inline(never)
        func endTurn(_ turn: Int) {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard
                    [.pulling(turn: turn), .resolving(turn: turn), .pushing(turn: turn)].contains(state.phase)
                else { return nil }
                guard !state.waiting.isEmpty else {
                    state.phase = .idle
                    return nil
                }
                state.phase = .pulling(turn: state.turns + 1)
                return state.waiting.removeFirst()
            }
            next?.resume()
        }

        @inline(never)
        func beginResolution(of turn: Int) {
            state.withLock { $0.phase = .resolving(turn: turn) }
        }

        /// - Returns: the turn of the push; nil if its turn ended before.
        @inline(never)
        func beginPush() -> Int? {
            state.withLock { state in
                guard case .resolving(let turn) = state.phase else { return nil }
                state.phase = .pushing(turn: turn)
                return turn
            }
        }

        /// - Returns: whether another sync is necessary, because this one handed nothing over.
        @inline(never)
        func endPush(of turn: Int?, hasFailed: Bool) -> Bool {
            let needsSync = state.withLock { state in
                turn != nil && state.isPostponed && !hasFailed && state.postponed <= Self.maximumRequests
            }
            if let turn { endTurn(turn) }
            return needsSync
        }

        @inline(never)
        func beginChoice() -> Int? {
            state.withLock { state in
                state.openChoices += 1
                state.choices += 1
                if case .resolving(let turn) = state.phase { return turn }
                return nil
            }
        }

        @inline(never)
        func endChoice() {
            state.withLock { $0.openChoices -= 1 }
        }

        /// Ends the turn if CareKit does not push, which it does not report: its save has failed.
        ///
        /// CareKit resolves and saves in blocks on the queue of its context, each added by the one before. Two queries on
        /// the same queue return after these blocks, unless a conflict has to be resolved in between.
        func endTurnIfAbandoned(_ turn: Int) async {
            guard let choices = choicesIfResolving(turn) else { return }
            if let store = connectedStore() {
                var query = OCKOutcomeQuery()
                query.uuids = [UUID()]
                query.limit = 1
                for _ in 1...2 { _ = try? await store.fetchOutcomes(query: query) }
            }
            if choicesIfResolving(turn) == choices { endTurn(turn) }
        }

        /// The number of choices so far, if the turn waits for CareKit and not for a choice.
        @inline(never)
        private func choicesIfResolving(_ turn: Int) -> Int? {
            state.withLock { $0.phase == .resolving(turn: turn) && $0.openChoices == 0 ? $0.choices : nil }
        }

        /// Records that the store got everything that the server has.
        @inline(never)
        func didMerge(_ serverKnowledge: KnowledgeVector) {
            state.withLock { state in
                state.postponed = 0
                var heard = state.heard ?? KnowledgeVector()
                heard.merge(serverKnowledge)
                state.heard = heard
            }
        }

        /// Records that the store got nothing and pushes first.
        @inline(never)
        func didPostpone() {
            state.withLock { state in
                state.postponed += 1
                state.isPostponed = true
            }
        }

        /// Records that the server has what the store had.
        @inline(never)
        func didPush(_ knowledge: KnowledgeVector) {
            state.withLock { state in state.heard?.merge(knowledge) }
        }
    }
#endif
