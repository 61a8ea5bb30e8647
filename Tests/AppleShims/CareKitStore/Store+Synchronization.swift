import Foundation

/// CareKit: OCKStore+Synchronization.swift
extension OCKStore: OCKRemoteSynchronizationDelegate {
    public func remote(_ remote: OCKRemoteSynchronizable, didUpdateProgress progress: Double) {}

    public func didRequestSynchronization(_ remote: OCKRemoteSynchronizable) { autoSynchronizeIfRequired() }

    public func synchronize(completion: @escaping @Sendable (Error?) -> Void) { pullThenPush(completion: completion) }

    public func synchronize() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
            pullThenPush { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    func autoSynchronizeIfRequired() {
        guard remote?.automaticallySynchronizes == true else { return }
        pullThenPush { _ in }
    }

    /// The vector of what the remote knows, which the closures of one sync share.
    private final class RemoteKnowledge: @unchecked Sendable {
        private let lock = NSLock()
        private var vector = OCKRevisionRecord.KnowledgeVector()
        var value: OCKRevisionRecord.KnowledgeVector { lock.withLock { vector } }
        func merge(_ other: OCKRevisionRecord.KnowledgeVector) { lock.withLock { vector.merge(with: other) } }
    }

    private func pullThenPush(completion: @escaping @Sendable (Error?) -> Void) {
        context.perform { [self] in
            guard let remote else {
                return completion(OCKStoreError.remoteSynchronizationFailed(reason: "No remote set on OCKStore!"))
            }
            let known = RemoteKnowledge()
            // 1. Pull since the vector of the store, and merge.
            remote.pullRevisions(since: context.knowledgeVector) { revision in
                known.merge(revision.knowledgeVector)
                self.mergeRevision(revision)
            } completion: { [self] error in
                context.perform { [self] in
                    if let error {
                        context.rollback()
                        return completion(error)
                    }
                    // 2. The own clock advances, so that resolutions are new for the remote.
                    context.knowledgeVector.increment(clockFor: context.clockID)
                    // 3. An error of the resolution is ignored (3.5 k).
                    resolveConflicts { [self] _ in
                        context.perform { [self] in
                            do {
                                // 4. Save, compute what the remote lacks, advance the clock, save, push.
                                try context.save()
                                let knowledge = context.knowledgeVector
                                let revisions = computeRevisions(since: known.value)
                                context.knowledgeVector.increment(clockFor: context.clockID)
                                try context.save()
                                // 5. An error of the push is ignored: the next sync compares again.
                                remote.pushRevisions(deviceRevisions: revisions, deviceKnowledge: knowledge) {
                                    [self] _ in context.perform { completion(nil) }
                                }
                            } catch {
                                context.rollback()
                                completion(error)
                            }
                        }
                    }
                }
            }
        }
    }

    package func mergeRevision(_ revision: OCKRevisionRecord) {
        context.performAndWait {
            context.knowledgeVector.merge(with: revision.knowledgeVector)
            for value in revision.entities.map(\.value)
            where context.contents.version(type(of: value).entityType, value.uuid) == nil {
                insert(value, knowledge: revision.knowledgeVector)
            }
        }
    }

    /// The versions that a remote lacks, by CareKit's comparison (3.5 a): some clock of a process that the vector names is
    /// greater, or the version names none of its processes. The order of the revisions is that of a Dictionary.
    package func computeRevisions(since vector: OCKRevisionRecord.KnowledgeVector) -> [OCKRevisionRecord] {
        context.performAndWait {
            var groups: [OCKRevisionRecord.KnowledgeVector: [OCKEntity]] = [:]
            var order: [OCKRevisionRecord.KnowledgeVector] = []
            for type in supportedTypes {
                let changed = context.contents.versions(type).filter { version in
                    let clocks = version.knowledge.processes
                    return vector.processes.contains { (clocks[$0.key] ?? 0) > $0.value }
                        || !vector.processes.keys.contains { clocks[$0] != nil }
                }
                let newestFirst = changed.sorted { one, other in
                    let dates = (one.value.updatedDate ?? .distantPast, other.value.updatedDate ?? .distantPast)
                    return dates.0 != dates.1
                        ? dates.0 > dates.1 : one.value.uuid.uuidString < other.value.uuid.uuidString
                }
                for version in newestFirst {
                    if groups[version.knowledge] == nil { order.append(version.knowledge) }
                    groups[version.knowledge, default: []].append(value(version).entity())
                }
            }
            var generator = context.surroundings.generator
            return order.shuffled(using: &generator).map {
                OCKRevisionRecord(entities: groups[$0] ?? [], knowledgeVector: $0)
            }
        }
    }

    package func resolveConflicts() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
            resolveConflicts { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    package func resolveConflicts(completion: @escaping @Sendable (Error?) -> Void) {
        guard let conflict = nextConflict() else { return completion(nil) }
        guard let remote else { return completion(OCKStoreError.remoteSynchronizationFailed(reason: "No remote")) }
        remote.chooseConflictResolution(conflicts: conflict) { [self] result in
            context.perform { [self] in
                do {
                    let keeper = try result.get()
                    try updateValue(keeper.value)
                    resolveConflicts(completion: completion)
                } catch {
                    completion(error)
                }
            }
        }
    }

    private func nextConflict() -> [OCKEntity]? {
        context.performAndWait {
            for type in supportedTypes {
                let tips = Dictionary(grouping: context.contents.versions(type).filter(\.next.isEmpty), by: \.value.id)
                let conflicts = tips.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
                guard let conflict = conflicts.first?.value else { continue }
                let sorted = conflict.sorted { $0.value.uuid.uuidString < $1.value.uuid.uuidString }
                return sorted.map { value($0).entity() }
            }
            return nil
        }
    }
}

extension OCKStore {
    /// All versions of the store, deleted ones too. CareKit has no such query.
    package var allEntities: [OCKEntity] {
        context.performAndWait {
            supportedTypes.flatMap { type in
                context.contents.versions(type).map { value($0).entity() }
            }
        }
    }
}
