import FHIR
import Foundation
import HealthSync

/// One change that a store requests of a server.
struct FHIRChange: Sendable {
    enum Kind: Sendable {
        case add(JSON)
        case delete
    }

    /// The sample of the change; nil for a device.
    let uuid: UUID?
    let type: String
    /// The device's id of the resource.
    let id: String
    let kind: Kind
    /// The size of its JSON in bytes.
    let bytes: Int

    init(_ uuid: UUID?, type: String, id: String, kind: Kind, bytes: Int) {
        self.uuid = uuid
        self.type = type
        self.id = id
        self.kind = kind
        self.bytes = bytes
    }

    /// The query that finds the resource (<https://hl7.org/fhir/R4/http.html#ccreate>).
    var condition: String {
        "identifier=" + FHIRIdentity.tokens(uuid: uuid, id: id).map(\.text).joined(separator: ",")
    }

    /// Returns the entry of a transaction (<https://hl7.org/fhir/R4/http.html#transaction>).
    func entry(_ creation: FHIRCreation) -> JSON {
        switch kind {
        case .delete: return ["request": ["method": "DELETE", "url": .string("\(type)/\(id)")]]
        case .add(let resource) where creation == .named:
            return ["resource": resource, "request": ["method": "PUT", "url": .string("\(type)/\(id)")]]
        case .add(let resource):
            var request = JSONObject()
            request["method"] = "POST"
            request["url"] = .string(type)
            if creation == .conditional { request["ifNoneExist"] = .string(condition) }
            return ["resource": FHIRIdentity.anonymous(resource), "request": .object(request)]
        }
    }
}

extension FHIRHealthStore {
    /// Performs changes, in transactions if the server supports them. A transaction that is refused is split into
    /// halves and repeated, so that only the refused changes fail.
    func perform(_ changes: [FHIRChange], into outcomes: inout [UUID: HealthOutcome]) async throws {
        func record(_ outcome: HealthOutcome, of change: FHIRChange) {
            guard let uuid = change.uuid else { return }
            // A sample is stored only when all of its resources are.
            if let present = outcomes[uuid], present != .stored { return }
            outcomes[uuid] = outcome
        }
        var rest = changes[...]
        while !rest.isEmpty {
            var part: [FHIRChange] = []
            var bytes = 0
            while let next = rest.first, part.count < Self.transaction.entries,
                part.isEmpty || bytes + next.bytes <= Self.transaction.bytes
            {
                bytes += next.bytes
                part.append(next)
                rest = rest.dropFirst()
            }
            let results = try await together(part)
            for (change, outcome) in zip(part, results) { record(outcome, of: change) }
            // After a deferral, the remaining changes are deferred without a request.
            if let wait = results.first(where: { if case .deferred = $0 { true } else { false } }) {
                for change in rest { record(wait, of: change) }
                return
            }
        }
    }

    private func together(_ changes: [FHIRChange]) async throws -> [HealthOutcome] {
        let abilities = try await abilities()
        guard changes.count > 1, abilities.hasTransactions else { return try await oneByOne(changes) }
        // Resources that may have been posted before are searched one by one.
        let again = changes.filter { change in
            if case .add = change.kind, abilities.creation(of: change.type) != .named {
                let key = "\(change.type)/\(change.id)"
                return unsearched.contains(key) || !posted.insert(key).inserted
            }
            return false
        }
        if !again.isEmpty { return try await oneByOne(changes) }
        let bundle: JSON = [
            "resourceType": "Bundle", "type": "transaction",
            "entry": .array(changes.map { $0.entry(abilities.creation(of: $0.type)) }),
        ]
        let answer = try await connection.send("POST", path: "", body: bundle)
        switch answer.status {
        case 200..<300:
            guard let entries = answer.json?["entry"]?.array, entries.count == changes.count else {
                // The response is successful but has no outcomes. Repeating the changes creates no duplicates.
                return try await without(transactions: changes)
            }
            var outcomes: [HealthOutcome] = []
            for (change, entry) in zip(changes, entries) {
                let status = entry["response"]?["status"]?.string.flatMap { Int($0.prefix(3)) } ?? 0
                if case .delete = change.kind {
                    outcomes.append(
                        try await deletionOutcome(
                            change, status: status, outcome: HealthOutcome(deletionStatus: status)))
                } else {
                    outcomes.append(HealthOutcome(status: status))
                }
            }
            return outcomes
        case 404, 405, 415, 501: return try await without(transactions: changes)
        default:
            guard case .refused = answer.outcome else {
                return Array(repeating: answer.outcome, count: changes.count)
            }
            let half = changes.count / 2
            let first = try await together(Array(changes[..<half]))
            return first + (try await together(Array(changes[half...])))
        }
    }

    private func oneByOne(_ changes: [FHIRChange]) async throws -> [HealthOutcome] {
        var outcomes: [HealthOutcome] = []
        for change in changes {
            let outcome = try await alone(change)
            outcomes.append(outcome)
            guard case .deferred = outcome else { continue }
            return outcomes + Array(repeating: outcome, count: changes.count - outcomes.count)
        }
        return outcomes
    }

    /// Continues one by one with a server that declares transactions but does not support them.
    private func without(transactions changes: [FHIRChange]) async throws -> [HealthOutcome] {
        known?.hasTransactions = false
        return try await together(changes)
    }

    /// Performs one change without a transaction.
    func alone(_ change: FHIRChange) async throws -> HealthOutcome {
        let creation = try await abilities().creation(of: change.type)
        guard case .add(let resource) = change.kind else {
            let answer = try await connection.send("DELETE", path: "\(change.type)/\(change.id)")
            return try await deletionOutcome(change, status: answer.status, outcome: answer.deletion)
        }
        if creation != .named, let outcome = try await isPosted(change) { return outcome }
        switch creation {
        case .named:
            let path = "\(change.type)/\(change.id)"
            let answer = try await connection.send("PUT", path: path, body: resource)
            switch answer.status {
            case 404, 405, 501: return try await without(creation, change)
            case 409, 412:
                let present = try await connection.send("GET", path: path)
                guard present.isSuccess, let version = present.version else { return answer.outcome }
                return try await connection.send(
                    "PUT", path: path, body: resource, headers: ["If-Match": "W/\"\(version)\""]
                ).outcome
            default: return answer.outcome
            }
        case .conditional:
            let answer = try await connection.send(
                "POST", path: change.type, body: FHIRIdentity.anonymous(resource),
                headers: ["If-None-Exist": change.condition])
            switch answer.status {
            case 405, 501: return try await without(creation, change)
            case 412:
                // Several resources match the query; one of them must have the identifier.
                guard
                    case .found(let found) = try await find(
                        change.type, FHIRIdentity.tokens(uuid: change.uuid, id: change.id))
                else { return answer.outcome }
                let own = FHIRIdentity.tokens(uuid: change.uuid, id: change.id)
                return own.contains { found[$0] != nil } ? .stored : answer.outcome
            default: return answer.outcome
            }
        case .plain:
            return try await connection.send(
                "POST", path: change.type, body: FHIRIdentity.anonymous(resource)
            ).outcome
        }
    }

    /// Returns the outcome of a deletion. If no resource has the id, a server that assigns its own ids may have the
    /// resource under another id, so it is searched.
    private func deletionOutcome(
        _ change: FHIRChange, status: Int, outcome: HealthOutcome
    ) async throws -> HealthOutcome {
        guard status == 404 || status == 410 else { return outcome }
        return try await delete(change.type, FHIRIdentity.tokens(uuid: nil, id: change.id))
    }

    /// Records that a resource is to be posted. A resource that may have been posted before is searched first.
    ///
    /// - Returns: nil if the resource must be posted.
    private func isPosted(_ change: FHIRChange) async throws -> HealthOutcome? {
        if posted.count > Self.maximumPosted { posted.removeAll() }
        let key = "\(change.type)/\(change.id)"
        let isFirst = posted.insert(key).inserted
        guard unsearched.remove(key) != nil || !isFirst else { return nil }
        return try await existing(change)
    }

    /// Maximum number of recorded posts; beyond it all are forgotten. Resources that are added later are searched by
    /// the fetch before.
    private static let maximumPosted = 10_000

    /// Searches for the resource of a change.
    ///
    /// - Returns: nil if the server does not have it.
    private func existing(_ change: FHIRChange) async throws -> HealthOutcome? {
        switch try await find(change.type, FHIRIdentity.tokens(uuid: change.uuid, id: change.id)) {
        case .failed(let answer):
            return answer.outcome == .stored ? .deferred(code: "answer-invalid", retryAfter: nil) : answer.outcome
        case .found(let found): return found.isEmpty ? nil : .stored
        }
    }

    /// Continues in another way with a server that does not support a declared one. The resource is searched first.
    private func without(_ creation: FHIRCreation, _ change: FHIRChange) async throws -> HealthOutcome {
        known?.lose(creation, of: change.type)
        if let outcome = try await existing(change) { return outcome }
        posted.remove("\(change.type)/\(change.id)")
        return try await alone(change)
    }
}
