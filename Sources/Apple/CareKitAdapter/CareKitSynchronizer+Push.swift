#if canImport(CareKitStore)
    import CareKitStore
    import CarePlans
    import CareStores
    import Foundation

    @available(iOS 18, macOS 15, watchOS 11, *)
    extension CareKitSynchronizer {
        /// Number of bytes of JSON above which a push is divided.
        static let bytesPerPush = 8 << 20

        /// Sends revisions in one push, or in several if they are large.
        func push(_ records: [OCKRevisionRecord], knowledge: KnowledgeVector) async throws {
            let revisions = try records.map { try CareKitConversion.revision($0) }
            let pushes = try CarePushes(revisions, knowledge: knowledge, bytesPerPush: Self.bytesPerPush).pushes
            for (index, push) in pushes.enumerated() {
                _ = try await server.push(push.revisions, knowledge: push.knowledge)
                report(0.5 + 0.5 * Double(index + 1) / Double(pushes.count))
            }
            didPush(knowledge)
        }
    }

    /// Divides the revisions of a store into pushes.
    ///
    /// The server takes the knowledge of a push as reached. So each push but the last one has empty knowledge, and the
    /// versions with one vector are never divided: a copy that pulls between two pushes would take the missing ones as
    /// known.
    struct CarePushes {
        let pushes: [(revisions: [CareRevision], knowledge: KnowledgeVector)]

        /// - Throws: ``CarePlans/CarePlanError`` `version-cycle`.
        init(_ revisions: [CareRevision], knowledge: KnowledgeVector, bytesPerPush: Int) throws(CarePlanError) {
            let sizes = revisions.map { revision in
                revision.entities.reduce(0) { $0 + ($1.object.byteCount(upTo: bytesPerPush) ?? bytesPerPush) }
            }
            guard sizes.reduce(0, +) > bytesPerPush else {
                pushes = [(try Self.inCausalOrder(revisions), knowledge)]
                return
            }
            var groups: [(revisions: [CareRevision], bytes: Int)] = []
            for (revision, bytes) in zip(revisions, sizes).sorted(by: {
                $0.0.knowledgeVector.sum < $1.0.knowledgeVector.sum
            }) {
                if let last = groups.last, last.bytes + bytes <= bytesPerPush {
                    groups[groups.count - 1].revisions.append(revision)
                    groups[groups.count - 1].bytes += bytes
                } else {
                    groups.append(([revision], bytes))
                }
            }
            var pushes: [(revisions: [CareRevision], knowledge: KnowledgeVector)] = []
            for (index, group) in groups.enumerated() {
                let isLast = index == groups.count - 1
                pushes.append((try Self.inCausalOrder(group.revisions), isLast ? knowledge : KnowledgeVector()))
            }
            self.pushes = pushes
        }

        /// Versions one by one in causal order; neighbours with one vector are one revision.
        private static func inCausalOrder(_ revisions: [CareRevision]) throws(CarePlanError) -> [CareRevision] {
            var ordered: [CareRevision] = []
            for entry in try CausalOrder.sort(revisions) {
                if ordered.last?.knowledgeVector == entry.knowledgeVector {
                    ordered[ordered.count - 1].entities.append(entry.entity)
                } else {
                    ordered.append(CareRevision([entry.entity], knowledgeVector: entry.knowledgeVector))
                }
            }
            return ordered
        }
    }
#endif
