#if canImport(CareKitStore)
    import CareKitStore
    import CarePlans
    import CareStores
    import Foundation
    import Synchronization

    /// Synchronises CareKit's own store with the care plan of one patient at a server.
    ///
    /// ```swift
    /// let remote = CareKitSynchronizer(server: AccountCareServer(client: client, patient: account))
    /// let store = OCKStore(name: "plan", remote: remote)
    /// remote.startListening()
    /// ```
    /// The store sets itself as the ``delegate`` and is the store whose outcomes are read. An app that sets a delegate of
    /// its own before it creates the store calls ``connect(to:)``.
    ///
    /// There is one sync at a time; up to ``maximumWaitingSyncs`` others wait for it. The rules are those of the server and
    /// of ``CarePlans``: the type only converts, and it hands a version of an outcome over so that it follows the outcome
    /// that the store has of the same event.
    @available(iOS 18, macOS 15, watchOS 11, *)
    public final class CareKitSynchronizer: OCKRemoteSynchronizable {
        /// Maximum number of syncs that wait for the current one. Further syncs fail with `sync-in-progress`; the waiting
        /// ones include their changes.
        public static let maximumWaitingSyncs = 16

        let server: any CareServer
        let options: CareKitSyncOptions
        let state = Mutex(CareKitSyncState())

        /// Creates the remote of one patient's store.
        ///
        /// - Parameters:
        ///   - server: the care plan of the patient: the user, or a patient of the team.
        ///   - options: what the app decides.
        public init(server: any CareServer, options: CareKitSyncOptions = CareKitSyncOptions()) {
            self.server = server
            self.options = options
        }

        deinit { state.withLock { $0.listener?.cancel() } }

        /// The receiver of progress and of requests for a sync. CareKit's store sets itself if it is nil.
        public var delegate: (any OCKRemoteSynchronizationDelegate)? {
            get { state.withLock { $0.delegate } }
            set { state.withLock { $0.delegate = newValue } }
        }

        /// Whether the store synchronises after each change and when the server has news.
        public var automaticallySynchronizes: Bool { options.automaticallySynchronizes }

        /// Sets the store whose outcomes are read, if the ``delegate`` is not the store. The reference is weak.
        public func connect(to store: OCKStore) {
            state.withLock { $0.store = store }
        }

        /// The connected store, else the delegate if it is a store.
        @inline(never)
        func connectedStore() -> OCKStore? {
            state.withLock { $0.store ?? $0.delegate as? OCKStore }
        }

        /// Reports progress from 0 to 1 to the delegate.
        func report(_ progress: Double) {
            delegate?.remote(self, didUpdateProgress: progress)
        }

        // MARK: - OCKRemoteSynchronizable

        /// Hands the revisions of the server over that the store lacks, and the server's knowledge last.
        ///
        /// The completion gets an ``CareKitSyncError``, an error of the server's client, or nil.
        public func pullRevisions(
            since knowledgeVector: OCKRevisionRecord.KnowledgeVector,
            mergeRevision: @escaping (OCKRevisionRecord) -> Void,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) {
            // The closure enters the queue of the store's context, so any thread may call it. CareKit does not declare that.
            nonisolated(unsafe) let merge = mergeRevision
            Task {
                guard let turn = await takeTurn() else { return completion(CareKitSyncError(.syncInProgress)) }
                do {
                    try await pull(since: KnowledgeVector(knowledgeVector.processes), merge: merge)
                } catch {
                    endTurn(turn)
                    return completion(error)
                }
                beginResolution(of: turn)
                completion(nil)
                await endTurnIfAbandoned(turn)
            }
        }

        /// Sends the revisions of the store to the server, in causal order.
        ///
        /// The completion gets an ``CareKitSyncError``, an error of the server's client, or nil. CareKit's store ignores an
        /// error: its next sync sends the revisions again.
        public func pushRevisions(
            deviceRevisions: [OCKRevisionRecord],
            deviceKnowledge: OCKRevisionRecord.KnowledgeVector,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) {
            let turn = beginPush()
            Task {
                var failure: (any Error)?
                do {
                    try await push(deviceRevisions, knowledge: KnowledgeVector(deviceKnowledge.processes))
                } catch {
                    failure = error
                }
                let needsSync = endPush(of: turn, hasFailed: failure != nil)
                completion(failure)
                if needsSync { delegate?.didRequestSynchronization(self) }
            }
        }

        /// Chooses the version of an entity that wins, by the app's closure or by the rule of the server
        /// (``CarePlans/ConflictResolution``). An outcome gets the latest effective date of all, because CareKit hides a
        /// version that follows one with a later date.
        public func chooseConflictResolution(
            conflicts: [OCKEntity], completion: @escaping OCKResultClosure<OCKEntity>
        ) {
            let turn = beginChoice()
            Task {
                do {
                    let choice = try await choice(among: conflicts)
                    endChoice()
                    completion(.success(choice))
                } catch {
                    endChoice()
                    completion(.failure(.remoteSynchronizationFailed(reason: "\(error)")))
                }
                if let turn { await endTurnIfAbandoned(turn) }
            }
        }

        private func choice(among conflicts: [OCKEntity]) async throws -> OCKEntity {
            if let choose = options.choose { return try await choose(conflicts) }
            let versions = try conflicts.map { try CareKitConversion.version($0) }
            guard let winner = ConflictResolution.winner(of: versions),
                let entity = zip(versions, conflicts).first(where: { $0.0.uuid == winner.uuid })?.1
            else { throw CareKitSyncError(.entityUnreadable) }
            guard case .outcome(var outcome) = entity else { return entity }
            let dates = conflicts.compactMap { conflict in
                if case .outcome(let other) = conflict { other.effectiveDate } else { nil }
            }
            outcome.effectiveDate = dates.max() ?? outcome.effectiveDate
            return .outcome(outcome)
        }
    }
#endif
