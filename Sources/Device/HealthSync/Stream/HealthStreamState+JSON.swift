import Core
import FHIR
import Foundation

extension HealthStreamState {
    /// The version of the format. A newer one is refused because its meaning is unknown.
    private static let version = 1

    /// Reads the output of ``bytes(of:)``.
    ///
    /// - Throws: ``HealthSyncError``: `health-state-damaged`, `health-state-newer`, `health-state-foreign`. A state
    ///   that cannot be read is not replaced by an initial one: everything would be sent again, and deletions would be
    ///   lost.
    public init(_ bytes: some Collection<UInt8>, of stream: HealthStream) throws(HealthSyncError) {
        guard let json = JSON(reading: bytes), let object = json.object, let version = object["version"]?.integer
        else { throw HealthSyncError(.stateDamaged) }
        guard version == Self.version else {
            throw HealthSyncError(version > Self.version ? .stateNewer : .stateDamaged)
        }
        let members = StateMembers(object)
        guard try members.text("type") == stream.type, try members.text("store") == stream.store else {
            throw HealthSyncError(.stateForeign)
        }
        self.init()
        if let text = try members.text("anchor") {
            guard let data = Data(base64Encoded: text), data.count <= HealthAnchor.longest else {
                throw HealthSyncError(.stateDamaged)
            }
            anchor = HealthAnchor(data)
        }
        began = try members.time("began")
        settled = try members.uuids("settled")
        waitingChanges = try members.count("waiting") ?? 0
        lastSample = try members.time("lastSample")
        if let history = try members.object("history") {
            self.history.upTo = try history.time("upTo")
            self.history.since = try history.time("since")
            self.history.isDone = try history.flag("isDone")
            self.history.settled = try history.uuids("settled")
            self.history.waiting = try history.count("waiting") ?? 0
        }
        if let hold = try members.object("hold") {
            guard let failures = try hold.count("failures") else { throw HealthSyncError(.stateDamaged) }
            self.hold = HealthStoreHold(failures: failures, notBefore: try hold.time("notBefore"))
        }
        if let quarantine = try members.object("quarantine") {
            self.quarantine = try HealthQuarantine(quarantine)
        }
    }

    /// Returns the state as it is saved: JSON with members in a fixed order, without members that have no value.
    public func bytes(of stream: HealthStream) -> [UInt8] {
        var object = JSONObject()
        object["version"] = .number(JSONNumber(Self.version))
        object["type"] = .string(stream.type)
        object["store"] = .string(stream.store)
        object["anchor"] = anchor.map { .string(Data($0.bytes).base64EncodedString()) }
        object["began"] = began.flatMap(StateMembers.json)
        object["settled"] = StateMembers.json(settled)
        object["waiting"] = StateMembers.json(waitingChanges)
        object["lastSample"] = lastSample.flatMap(StateMembers.json)
        var past = JSONObject()
        past["upTo"] = history.upTo.flatMap(StateMembers.json)
        past["since"] = history.since.flatMap(StateMembers.json)
        if history.isDone { past["isDone"] = true }
        past["settled"] = StateMembers.json(history.settled)
        past["waiting"] = StateMembers.json(history.waiting)
        if !past.isEmpty { object["history"] = .object(past) }
        if let hold {
            var member = JSONObject()
            member["failures"] = .number(JSONNumber(hold.failures))
            member["notBefore"] = hold.notBefore.flatMap(StateMembers.json)
            object["hold"] = .object(member)
        }
        if quarantine.count > 0 { object["quarantine"] = quarantine.json }
        return JSON.object(object).bytes()
    }
}

extension HealthQuarantine {
    fileprivate init(_ members: StateMembers) throws(HealthSyncError) {
        self.init()
        for member in try members.objects("entries") {
            guard let text = try member.text("uuid"), let uuid = UUID(text: text),
                let reason = try member.text("reason"), let version = try member.text("version")
            else { throw HealthSyncError(.stateDamaged) }
            let isDeletion = try member.flag("isDeletion")
            named[uuid] = Entry(uuid: uuid, reason: reason, isDeletion: isDeletion, version: version)
        }
        guard named.count <= Self.limit else { throw HealthSyncError(.stateDamaged) }
        if let member = try members.object("overflow") {
            guard let count = try member.count("count"), let version = try member.text("version"), count > 0
            else { throw HealthSyncError(.stateDamaged) }
            let oldest = try member.time("oldest") ?? -.greatestFiniteMagnitude
            overflow = Overflow(count: count, oldest: oldest, version: version)
        }
    }

    fileprivate var json: JSON {
        var object = JSONObject()
        if !named.isEmpty {
            object["entries"] = .array(
                entries.map { entry in
                    var member = JSONObject()
                    member["uuid"] = .string(entry.uuid.uuidString)
                    member["reason"] = .string(entry.reason)
                    if entry.isDeletion { member["isDeletion"] = true }
                    member["version"] = .string(entry.version)
                    return .object(member)
                })
        }
        if let overflow {
            var member = JSONObject()
            member["count"] = .number(JSONNumber(overflow.count))
            member["oldest"] = StateMembers.json(overflow.oldest)
            member["version"] = .string(overflow.version)
            object["overflow"] = .object(member)
        }
        return .object(object)
    }
}

/// The members of a saved state. An absent member is nil; a member of another type is damage.
private struct StateMembers {
    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    private func read<Value>(_ name: String, _ value: (JSON) -> Value?) throws(HealthSyncError) -> Value? {
        guard let member = object[name] else { return nil }
        guard let found = value(member) else { throw HealthSyncError(.stateDamaged) }
        return found
    }

    func text(_ name: String) throws(HealthSyncError) -> String? { try read(name) { $0.string } }

    func flag(_ name: String) throws(HealthSyncError) -> Bool { try read(name) { $0.bool } ?? false }

    func count(_ name: String) throws(HealthSyncError) -> Int? {
        try read(name) { $0.integer.flatMap { $0 >= 0 ? $0 : nil } }
    }

    func time(_ name: String) throws(HealthSyncError) -> Double? {
        try read(name) { $0.number.map(\.double).flatMap { $0.isFinite ? $0 : nil } }
    }

    func uuids(_ name: String) throws(HealthSyncError) -> Set<UUID> {
        try read(name) { member in
            guard let array = member.array, array.count <= HealthStreamState.settledLimit else { return nil }
            var uuids: Set<UUID> = []
            for element in array {
                guard let uuid = element.string.flatMap({ UUID(text: $0) }) else { return nil }
                uuids.insert(uuid)
            }
            return uuids
        } ?? []
    }

    func object(_ name: String) throws(HealthSyncError) -> StateMembers? {
        try read(name) { $0.object.map(StateMembers.init) }
    }

    func objects(_ name: String) throws(HealthSyncError) -> [StateMembers] {
        try read(name) { member in
            guard let array = member.array else { return nil }
            let members = array.compactMap { $0.object.map(StateMembers.init) }
            return members.count == array.count ? members : nil
        } ?? []
    }

    static func json(_ time: Double) -> JSON? { JSONNumber(text: time.description).map { .number($0) } }

    static func json(_ count: Int) -> JSON? { count == 0 ? nil : .number(JSONNumber(count)) }

    static func json(_ uuids: Set<UUID>) -> JSON? {
        uuids.isEmpty ? nil : .array(uuids.map(\.uuidString).sorted().map { .string($0) })
    }
}
