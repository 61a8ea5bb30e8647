import FHIR
import Foundation
import HealthSync

/// One change that a store asks of a server.
struct FHIRChange: Sendable {
    enum Kind: Sendable {
        case add(JSON)
        case delete
    }

    /// The sample that it is for; nil for a device.
    let uuid: UUID?
    let type: String
    /// The id that our resource has.
    let id: String
    let kind: Kind
    /// The bytes of its JSON.
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

    /// The entry of a transaction (<https://hl7.org/fhir/R4/http.html#transaction>).
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
    /// Performs changes, in transactions where the server has them. Of one that is refused as a whole the halves are tried, so
    /// that only what fails stays.
    func perform(_ changes: [FHIRChange], into outcomes: inout [UUID: HealthOutcome]) async throws {
        func note(_ outcome: HealthOutcome, of change: FHIRChange) {
            guard let uuid = change.uuid else { return }
            // All resources of a sample must be there before it is.
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
            for (change, outcome) in zip(part, results) { note(outcome, of: change) }
            // A server that cannot now is not asked for the rest.
            if let wait = results.first(where: { if case .kept = $0 { true } else { false } }) {
                for change in rest { note(wait, of: change) }
                return
            }
        }
    }

    private func together(_ changes: [FHIRChange]) async throws -> [HealthOutcome] {
        let abilities = try await abilities()
        guard changes.count > 1, abilities.hasTransactions else { return try await oneByOne(changes) }
        // What may have been posted before is looked for by itself.
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
        let answer = try await connection.send("POST", "", bundle)
        switch answer.status {
        case 200..<300:
            guard let entries = answer.json?["entry"]?.array, entries.count == changes.count else {
                // It says that it did, and does not say what: what is done twice makes no second.
                return try await without(transactions: changes)
            }
            var outcomes: [HealthOutcome] = []
            for (change, entry) in zip(changes, entries) {
                let status = entry["response"]?["status"]?.string.flatMap { Int($0.prefix(3)) } ?? 0
                if case .delete = change.kind {
                    outcomes.append(try await gone(change, status, HealthOutcome(deletionStatus: status)))
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
            guard case .kept = outcome else { continue }
            return outcomes + Array(repeating: outcome, count: changes.count - outcomes.count)
        }
        return outcomes
    }

    /// Goes on one by one with a server that says it has transactions, and has none.
    private func without(transactions changes: [FHIRChange]) async throws -> [HealthOutcome] {
        known?.hasTransactions = false
        return try await together(changes)
    }

    /// Performs one change by itself.
    func alone(_ change: FHIRChange) async throws -> HealthOutcome {
        let creation = try await abilities().creation(of: change.type)
        guard case .add(let resource) = change.kind else {
            let answer = try await connection.send("DELETE", "\(change.type)/\(change.id)")
            return try await gone(change, answer.status, answer.deletion)
        }
        if creation != .named, let outcome = try await isPosted(change) { return outcome }
        switch creation {
        case .named:
            let path = "\(change.type)/\(change.id)"
            let answer = try await connection.send("PUT", path, resource)
            switch answer.status {
            case 404, 405, 501: return try await without(creation, change)
            case 409, 412:
                let present = try await connection.send("GET", path)
                guard present.isSuccess, let version = present.version else { return answer.outcome }
                return try await connection.send(
                    "PUT", path, resource, headers: ["If-Match": "W/\"\(version)\""]
                ).outcome
            default: return answer.outcome
            }
        case .conditional:
            let answer = try await connection.send(
                "POST", change.type, FHIRIdentity.anonymous(resource), headers: ["If-None-Exist": change.condition])
            switch answer.status {
            case 405, 501: return try await without(creation, change)
            case 412:
                // Several match the query; one of them must bear the identifier.
                guard
                    case .found(let found) = try await find(
                        change.type, FHIRIdentity.tokens(uuid: change.uuid, id: change.id))
                else { return answer.outcome }
                let own = FHIRIdentity.tokens(uuid: change.uuid, id: change.id)
                return own.contains { found[$0] != nil } ? .stored : answer.outcome
            default: return answer.outcome
            }
        case .plain: return try await connection.send("POST", change.type, FHIRIdentity.anonymous(resource)).outcome
        }
    }

    /// The outcome of a deletion. Where nothing had the id, a server that does not keep clients' ids may have it under its own.
    private func gone(_ change: FHIRChange, _ status: Int, _ outcome: HealthOutcome) async throws -> HealthOutcome {
        guard status == 404 || status == 410 else { return outcome }
        return try await delete(change.type, FHIRIdentity.tokens(uuid: nil, id: change.id))
    }

    /// Notes that a resource is to be posted. One that may have been before is looked for.
    ///
    /// - Returns: nil where it is not there.
    private func isPosted(_ change: FHIRChange) async throws -> HealthOutcome? {
        if posted.count > Self.mostPosted { posted.removeAll() }
        let key = "\(change.type)/\(change.id)"
        let isFirst = posted.insert(key).inserted
        guard unsearched.remove(key) != nil || !isFirst else { return nil }
        return try await isThere(change)
    }

    /// More are forgotten: what is added later is looked for by then.
    private static let mostPosted = 10_000

    /// Whether the resource of a change is there.
    ///
    /// - Returns: nil where it is not.
    private func isThere(_ change: FHIRChange) async throws -> HealthOutcome? {
        switch try await find(change.type, FHIRIdentity.tokens(uuid: change.uuid, id: change.id)) {
        case .failed(let answer):
            return answer.outcome == .stored ? .kept(code: "answer-invalid", retryAfter: nil) : answer.outcome
        case .found(let found): return found.isEmpty ? nil : .stored
        }
    }

    /// Goes on otherwise with a server that does not do what it says: what is there already is looked for first.
    private func without(_ creation: FHIRCreation, _ change: FHIRChange) async throws -> HealthOutcome {
        known?.lose(creation, of: change.type)
        if let outcome = try await isThere(change) { return outcome }
        posted.remove("\(change.type)/\(change.id)")
        return try await alone(change)
    }
}
