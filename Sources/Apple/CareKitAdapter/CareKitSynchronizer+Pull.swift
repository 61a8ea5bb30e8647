#if canImport(CareKitStore)
    import CareKitStore
    import CarePlans
    import CareStores
    import Foundation

    @available(iOS 18, macOS 15, watchOS 11, *)
    extension CareKitSynchronizer {
        /// Maximum number of pages of one answer.
        public static let maximumPages = 10_000
        /// Maximum number of task versions in one query of the store.
        private static let tasksPerQuery = 200

        /// Reads all pages, decides, and hands over. Nothing is handed over if an error is thrown.
        func pull(since knowledge: KnowledgeVector, merge: (OCKRevisionRecord) -> Void) async throws {
            report(0)
            guard let store = connectedStore() else { throw CareKitSyncError(.storeMissing) }
            let answer = try await allPages(since: knowledge)
            let handOver = StoreHandOver(
                revisions: answer.revisions, serverKnowledge: answer.knowledgeVector, storeKnowledge: knowledge)
            let live = try await liveOutcomes(of: handOver.tasks, in: store)
            switch try handOver.decision(liveOutcomes: live) {
            case .merge(let revisions):
                let records = try revisions.map { try CareKitConversion.record($0) }
                for record in records { merge(record) }
                didMerge(answer.knowledgeVector)
            case .pushFirst(let vector):
                merge(try CareKitConversion.record(CareRevision([], knowledgeVector: vector)))
                didPostpone()
            }
            report(0.5)
        }

        private func allPages(since knowledge: KnowledgeVector) async throws -> CareAnswer {
            var whole = CareAnswer(revisions: [], knowledgeVector: KnowledgeVector(), next: nil)
            for page in 1...Self.maximumPages {
                let answer = try await server.pull(since: knowledge, page: whole.next, for: .careKit, wait: 0)
                whole.revisions += answer.revisions
                whole.knowledgeVector = answer.knowledgeVector
                whole.next = answer.next
                guard answer.next != nil else { return whole }
                report(0.5 * Double(page) / Double(page + 1))
            }
            throw CareKitSyncError(.answerTooLong)
        }

        /// The live outcomes of the store for these task versions, by event.
        private func liveOutcomes(of tasks: [UUID], in store: OCKStore) async throws -> [CareEvent.Key: [UUID]] {
            var live: [CareEvent.Key: [UUID]] = [:]
            for start in stride(from: 0, to: tasks.count, by: Self.tasksPerQuery) {
                var query = OCKOutcomeQuery()
                query.taskUUIDs = Array(tasks[start..<min(start + Self.tasksPerQuery, tasks.count)])
                for outcome in try await store.fetchOutcomes(query: query)
                where outcome.nextVersionUUIDs.isEmpty && outcome.deletedDate == nil {
                    let event = CareEvent.Key(task: outcome.taskUUID, occurrence: outcome.taskOccurrenceIndex)
                    live[event, default: []].append(outcome.uuid)
                }
            }
            return live
        }
    }
#endif
