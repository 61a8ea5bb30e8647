import Foundation

/// CareKit: OCKStore+Outcomes.swift
extension OCKStore {
    /// CareKit has a form with a completion too, which gets a queue.
    public func fetchOutcomes(query: OCKOutcomeQuery) async throws -> [OCKOutcome] {
        try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let outcomes = self.fetch(query, OCKOutcome.self).filter { !self.newestVersionIsTombstone($0) }
                continuation.resume(returning: outcomes)
            }
        }
    }

    @discardableResult
    public func addOutcomes(_ outcomes: [OCKOutcome]) async throws -> [OCKOutcome] {
        try transaction(inserts: outcomes) {
            try confirmOutcomesAreInValidRegionOfTaskVersionChain(outcomes)
            try confirmOutcomesAreUnique(outcomes)
        }
    }

    @discardableResult
    public func updateOutcomes(_ outcomes: [OCKOutcome]) async throws -> [OCKOutcome] {
        try transaction(updates: outcomes) { try confirmOutcomesAreInValidRegionOfTaskVersionChain(outcomes) }
    }

    @discardableResult
    public func deleteOutcomes(_ outcomes: [OCKOutcome]) async throws -> [OCKOutcome] {
        try transaction(deletes: outcomes)
    }

    @discardableResult
    public func addOutcome(_ outcome: OCKOutcome) async throws -> OCKOutcome {
        try only(try await addOutcomes([outcome]))
    }
    @discardableResult
    public func updateOutcome(_ outcome: OCKOutcome) async throws -> OCKOutcome {
        try only(try await updateOutcomes([outcome]))
    }
    @discardableResult
    public func deleteOutcome(_ outcome: OCKOutcome) async throws -> OCKOutcome {
        try only(try await deleteOutcomes([outcome]))
    }

    func only<Value>(_ values: [Value]) throws -> Value {
        guard let value = values.first else { throw OCKStoreError.fetchFailed(reason: "No value") }
        return value
    }

    /// The part of the predicate that outcomes have alone: with an interval, a version is hidden by a previous version
    /// with a later effective date and by a next one with the same or a later date (3.5 j).
    func matches(_ version: StoredVersion, _ query: OCKOutcomeQuery) -> Bool {
        guard let outcome = version.value as? OCKOutcome else { return false }
        let contents = context.contents
        if let interval = query.dateInterval {
            guard let event = version.event, event.start < interval.end, event.end >= interval.start else {
                return false
            }
            let dates = { (uuids: Set<UUID>) in
                uuids.compactMap { contents.version(.outcome, $0)?.value.effectiveDate }
            }
            guard !dates(version.previous).contains(where: { $0 > outcome.effectiveDate }),
                !dates(version.next).contains(where: { $0 >= outcome.effectiveDate })
            else { return false }
        }
        if !query.taskUUIDs.isEmpty, !query.taskUUIDs.contains(outcome.taskUUID) { return false }
        if !query.taskIDs.isEmpty {
            guard let task = contents.version(.task, outcome.taskUUID), query.taskIDs.contains(task.value.id) else {
                return false
            }
        }
        return true
    }

    /// CareKit follows any one of the links to the first version and from there to the last one. Here it is that of the
    /// smallest uuid.
    private func newestVersionIsTombstone(_ outcome: OCKOutcome) -> Bool {
        context.performAndWait {
            let contents = context.contents
            func any(_ uuids: Set<UUID>?) -> StoredVersion? {
                uuids?.min { $0.uuidString < $1.uuidString }.flatMap { contents.version(.outcome, $0) }
            }
            guard var current = contents.version(.outcome, outcome.uuid) else { return false }
            while let previous = any(current.previous) { current = previous }
            var last = current
            while let next = any(current.next) {
                if next.next.count - next.previous.count <= 0 { last = next }
                current = next
            }
            return last.value.deletedDate != nil
        }
    }

    private func confirmOutcomesAreInValidRegionOfTaskVersionChain(_ outcomes: [OCKOutcome]) throws {
        let contents = context.contents
        for outcome in outcomes {
            guard var task = contents.version(.task, outcome.taskUUID),
                let schedule = (task.value as? OCKTask)?.schedule
            else { throw OCKStoreError.invalidValue(reason: "Failed to find task with UUID \(outcome.taskUUID)") }
            guard outcome.taskOccurrenceIndex >= 0,
                let event = schedule.event(forOccurrenceIndex: outcome.taskOccurrenceIndex)
            else { throw OCKStoreError.invalidValue(reason: "Invalid outcome occurrence") }
            while let uuid = task.next.min(by: { $0.uuidString < $1.uuidString }),
                let next = contents.version(.task, uuid)
            {
                if next.value.effectiveDate >= task.value.effectiveDate, next.value.effectiveDate <= event.start {
                    throw OCKStoreError.invalidValue(reason: "A future version of the task overshadows the event")
                }
                task = next
            }
        }
    }

    private func confirmOutcomesAreUnique(_ outcomes: [OCKOutcome]) throws {
        for outcome in outcomes {
            let others = context.contents.outcomes(of: StoredEvent(outcome))
            guard !others.contains(where: \.isLiveTip) else {
                throw OCKStoreError.invalidValue(reason: "Tried to add a non-unique outcome to the store")
            }
        }
    }

    /// An update of a task loses no outcome: it takes effect after the latest one.
    func confirmUpdateWillNotCauseDataLoss(_ tasks: [OCKTask]) throws {
        let contents = context.contents
        for task in tasks {
            for tip in contents.tips(.task, id: task.id) {
                var version: StoredVersion? = tip
                while let current = version {
                    let outcomes = contents.versions(.outcome).filter {
                        $0.isLiveTip && ($0.value as? OCKOutcome)?.taskUUID == current.value.uuid
                    }
                    if let latest = outcomes.compactMap(\.event?.start).max(), task.effectiveDate <= latest {
                        throw OCKStoreError.updateFailed(reason: "An outcome exists on \(latest)")
                    }
                    version = current.previous.min { $0.uuidString < $1.uuidString }.flatMap {
                        contents.version(.task, $0)
                    }
                }
            }
        }
    }
}
