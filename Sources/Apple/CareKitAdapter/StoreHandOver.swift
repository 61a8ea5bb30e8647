#if canImport(CareKitStore)
    import CarePlans
    import Core
    import Foundation

    /// Decides what CareKit's store gets of an answer. Pure: the synchronizer performs the decision.
    ///
    /// CareKit refuses the save of a pull while a new version of an outcome exists together with another live outcome of
    /// the event. So each version of an outcome follows the live outcome that the store has of its event.
    struct StoreHandOver {
        /// The revisions of the answer, in causal order.
        let revisions: [CareRevision]
        /// The knowledge of the server.
        let serverKnowledge: KnowledgeVector
        /// The knowledge of the store.
        let storeKnowledge: KnowledgeVector

        enum Decision: Equatable {
            /// Hand these revisions over, the last of which has the knowledge of the server and no version.
            case merge([CareRevision])
            /// Hand over a revision without versions and with this knowledge, so that the store pushes first.
            case pushFirst(KnowledgeVector)
        }

        /// The task versions whose outcomes decide.
        var tasks: [UUID] {
            Set(revisions.flatMap(\.entities).compactMap { $0.event?.task }).sorted { $0.uuidString < $1.uuidString }
        }

        /// Returns the decision.
        ///
        /// - Parameter liveOutcomes: the live outcomes of the store, by event.
        /// - Throws: ``CarePlans/CarePlanError`` if a version is not valid.
        func decision(liveOutcomes: [CareEvent.Key: [UUID]]) throws -> Decision {
            var handedOver: [CareRevision] = []
            for var revision in revisions {
                for (index, entity) in revision.entities.enumerated() {
                    guard let event = entity.event else { continue }
                    let live = (liveOutcomes[event] ?? []).filter { $0 != entity.uuid }
                    // The server does not know this outcome of the store yet.
                    guard live.allSatisfy({ entity.previous.contains($0) }) else {
                        return .pushFirst(storeKnowledge.minimum(with: serverKnowledge))
                    }
                    var object = entity.object
                    object["previousVersionUUIDs"] = .array(
                        live.map(\.uuidString).sorted().map { .string($0) })
                    object["nextVersionUUIDs"] = .array([])
                    revision.entities[index] = try CareEntity(kind: entity.kind, object: object)
                }
                handedOver.append(revision)
            }
            handedOver.append(CareRevision([], knowledgeVector: serverKnowledge))
            return .merge(handedOver)
        }
    }
#endif
