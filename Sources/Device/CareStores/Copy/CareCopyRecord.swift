import CarePlans
import Core
import Foundation

/// One change of a copy. It is one frame of the file: all of it is durable, or none.
struct CareCopyRecord: Sendable {
    /// The patient, in the first record of a file.
    var patient: String?
    /// A new identity of the copy. Its clock is 1, and all versions that are not sent have it in their knowledge.
    var process: UUID?
    /// New versions.
    var versions: [CausalOrder.Stamped] = []
    /// Whether this copy made the versions, so that they are to be sent.
    var isOwn = false
    /// Knowledge that the copy has now in addition.
    var knowledge: KnowledgeVector?
    /// The clock of the copy.
    var clock: Int?
    /// The knowledge of the server at the last contact.
    var server: KnowledgeVector?
    /// Versions that are to be sent.
    var unsent: [UUID] = []
    /// Versions that the server has taken.
    var sent: [UUID] = []
    /// Versions that the server refused.
    var quarantined: [QuarantinedVersion] = []
    /// Versions that leave the quarantine, and are to be sent again.
    var released: [UUID] = []
    /// Versions that leave the copy.
    var discarded: [UUID] = []
    /// Former processes of this device whose versions may be missing in the copy; nil leaves them as they are.
    var incomplete: [UUID]?
    /// The delay of the next attempt; nil leaves it as it is.
    var delay: CareSyncDelay?
}

extension CausalOrder {
    /// A version with the knowledge of the copy that made it.
    struct Stamped: Sendable {
        let entity: CareEntity
        let knowledge: KnowledgeVector
    }
}

/// When the next attempt is due after failures.
struct CareSyncDelay: Sendable, Hashable {
    /// The number of failures since the last success.
    var failures = 0
    /// The earliest time of the next automatic attempt, in seconds since 2001; nil for now.
    var nextAttempt: Double?
    /// Whether the server named the time, so that an explicit sync waits for it too.
    var isOfServer = false
    /// The code of the last failure; nil after a success.
    var code: String?
}

// MARK: - JSON

extension CareCopyRecord {
    /// The bytes of the record. Versions with the same knowledge share it.
    var bytes: [UInt8] {
        var json: JSON = [:]
        if let patient { json["patient"] = .string(patient) }
        if let process { json["process"] = .string(process.uuidString) }
        if !versions.isEmpty {
            var indexes: [KnowledgeVector: Int] = [:]
            var vectors: [JSON] = []
            let rows: [JSON] = versions.map { version in
                let index =
                    indexes[version.knowledge]
                    ?? {
                        indexes[version.knowledge] = vectors.count
                        vectors.append(version.knowledge.json)
                        return vectors.count - 1
                    }()
                return [
                    "type": .string(version.entity.kind.rawValue), "vector": .number(JSONNumber(index)),
                    "object": version.entity.object,
                ]
            }
            json["vectors"] = .array(vectors)
            json["versions"] = .array(rows)
        }
        if isOwn { json["own"] = true }
        if let knowledge { json["knowledge"] = knowledge.json }
        if let clock { json["clock"] = .number(JSONNumber(clock)) }
        if let server { json["server"] = server.json }
        for (name, uuids) in [("unsent", unsent), ("sent", sent), ("released", released), ("discarded", discarded)]
        where !uuids.isEmpty {
            json[name] = .array(uuids.map { .string($0.uuidString) })
        }
        if !quarantined.isEmpty { json["quarantined"] = .array(quarantined.map(\.json)) }
        if let incomplete { json["incomplete"] = .array(incomplete.map { .string($0.uuidString) }) }
        if let delay { json["delay"] = delay.json }
        return json.bytes()
    }

    /// Reads a record; nil if it is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let json = JSON(reading: bytes), json.object != nil else { return nil }
        func uuids(_ name: String) -> [UUID]? {
            guard let value = json[name] else { return [] }
            guard let texts = value.array else { return nil }
            let uuids = texts.compactMap { $0.string.flatMap { UUID(text: $0) } }
            return uuids.count == texts.count ? uuids : nil
        }
        func vector(_ name: String) -> KnowledgeVector?? {
            guard let value = json[name] else { return .some(.none) }
            return (try? KnowledgeVector(value)).map { .some($0) }
        }
        guard let unsent = uuids("unsent"), let sent = uuids("sent"), let released = uuids("released"),
            let discarded = uuids("discarded"), let incomplete = uuids("incomplete"),
            let knowledge = vector("knowledge"), let server = vector("server"),
            let versions = Self.versions(of: json)
        else { return nil }
        (self.unsent, self.sent, self.released, self.discarded) = (unsent, sent, released, discarded)
        (self.knowledge, self.server, self.versions) = (knowledge, server, versions)
        self.incomplete = json["incomplete"] == nil ? nil : incomplete
        patient = json["patient"]?.string
        isOwn = json["own"]?.bool ?? false
        clock = json["clock"]?.integer
        if let text = json["process"]?.string {
            guard let process = UUID(text: text) else { return nil }
            self.process = process
        }
        let rows = json["quarantined"]?.array ?? []
        quarantined = rows.compactMap { QuarantinedVersion($0) }
        guard quarantined.count == rows.count else { return nil }
        delay = json["delay"].map { CareSyncDelay($0) }
    }

    private static func versions(of json: JSON) -> [CausalOrder.Stamped]? {
        guard let rows = json["versions"]?.array else { return json["versions"] == nil ? [] : nil }
        var vectors: [KnowledgeVector] = []
        for value in json["vectors"]?.array ?? [] {
            guard let vector = try? KnowledgeVector(value) else { return nil }
            vectors.append(vector)
        }
        var versions: [CausalOrder.Stamped] = []
        for row in rows {
            guard let kind = row["type"]?.string.flatMap({ CareEntityKind(rawValue: $0) }), let object = row["object"],
                let entity = try? CareEntity(kind: kind, stored: object), let index = row["vector"]?.integer,
                vectors.indices.contains(index)
            else { return nil }
            versions.append(CausalOrder.Stamped(entity: entity, knowledge: vectors[index]))
        }
        return versions
    }
}

extension CareSyncDelay {
    var json: JSON {
        var json: JSON = ["failures": .number(JSONNumber(failures))]
        if let nextAttempt, let number = JSONNumber(text: String(Int(nextAttempt.rounded(.up)))) {
            json["next"] = .number(number)
        }
        if isOfServer { json["server"] = true }
        if let code { json["code"] = .string(code) }
        return json
    }

    init(_ json: JSON) {
        failures = json["failures"]?.integer ?? 0
        nextAttempt = json["next"]?.number?.double
        isOfServer = json["server"]?.bool ?? false
        code = json["code"]?.string
    }
}
