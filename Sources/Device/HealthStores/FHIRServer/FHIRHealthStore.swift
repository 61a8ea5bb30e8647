import Core
import FHIR
import Foundation
import HealthData
import HealthSync
import Outbox

/// A FHIR R4 server as a store of health data: Tributary's records, or any other.
///
/// The server's CapabilityStatement (`/metadata`) selects the interactions; one that the server refuses nevertheless is
/// not used again. If clients may assign ids, a resource is put under the id that is derived from its content.
/// Otherwise it is found by its identifiers, one of which is that id: samples of equal content are one resource on
/// every server.
///
/// <https://hl7.org/fhir/R4/http.html>
public actor FHIRHealthStore: ExternalStore {
    /// Returns the bearer token of requests; nil for none. It is called once with true if the server rejects the last
    /// token.
    public typealias Token = @Sendable (_ isRenewal: Bool) async throws -> String?

    let connection: FHIRServerConnection
    let subject: String?
    var known: FHIRServerAbilities?
    /// The resources found by the last searches, by the device's id of the resource.
    var matches: [String: Match] = [:]
    /// Resources that were posted or may have been, because a response can be lost. They are searched before they are
    /// posted again.
    var posted: Set<String> = []
    /// Resources of the last fetch that were not searched because the server declares that it accepts clients' ids. If
    /// it does not accept them, an earlier process may have posted them.
    var unsearched: Set<String> = []
    /// Devices that exist on the server.
    var devices: Set<String> = []

    /// The code for a server that answers 403 to a write.
    public static let tokenMayNotWrite = "token-may-not-write"
    /// The code for a server that answers 403 to a search.
    public static let tokenMayNotRead = "token-may-not-read"

    /// Maximum number of resources, and of their bytes, in a transaction.
    static let transaction = (entries: 100, bytes: 1 << 20)
    /// Maximum number of identifiers in a search.
    static let searched = 20

    /// A resource of the server that matches one of the device.
    struct Match: Sendable {
        let id: String
        let version: String?
        let resource: JSON
    }

    /// - Parameters:
    ///   - base: the base URL of the server.
    ///   - token: see ``Token``.
    ///   - subject: the id of the participant's Patient on the server.
    ///   - clock: returns the current time.
    public init(
        _ base: URL, transport: any Transport = URLSessionTransport(), token: @escaping Token = { _ in nil },
        subject: String?, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        connection = FHIRServerConnection(base: base, transport: transport, token: token, clock: clock)
        self.subject = subject
    }

    // MARK: - Fetch

    public func fetch(_ samples: [OutgoingSample]) async throws -> StoreAnswers<StorePresence> {
        let abilities = try await abilities()
        var presence: [UUID: StorePresence] = [:]
        var wanted: [String: [(uuid: UUID, tokens: [FHIRIdentity.Token], id: String)]] = [:]
        unsearched = []
        for sample in samples {
            presence[sample.uuid] = .absent
            guard let (type, id) = Self.parts(sample.targets.first) else { continue }
            // A resource that is put under its id needs no search, unless the server turns out not to accept the id.
            guard abilities.creation(of: type) != .named else {
                unsearched.formUnion(sample.targets)
                continue
            }
            wanted[type, default: []].append((sample.uuid, FHIRIdentity.tokens(uuid: sample.uuid, id: id), id))
        }
        for (type, items) in wanted {
            for start in stride(from: 0, to: items.count, by: Self.searched / 2) {
                let part = items[start..<min(start + Self.searched / 2, items.count)]
                switch try await find(type, part.flatMap(\.tokens)) {
                case .failed(let answer):
                    let code = answer.status == 403 ? Self.tokenMayNotRead : "http-\(answer.status)"
                    for item in part { presence[item.uuid] = .deferred(code: code, retryAfter: answer.retryAfter) }
                case .found(let found):
                    for item in part {
                        guard let match = item.tokens.lazy.compactMap({ found[$0] }).first else { continue }
                        matches["\(type)/\(item.id)"] = match
                        presence[item.uuid] = .present
                    }
                }
            }
        }
        return StoreAnswers(presence)
    }

    enum Found {
        case found([FHIRIdentity.Token: Match])
        case failed(FHIRServerConnection.Answer)
    }

    /// Searches for identifiers and returns the matches, by each identifier that a match has.
    func find(_ type: String, _ tokens: [FHIRIdentity.Token]) async throws -> Found {
        switch try await connection.search(type, tokens) {
        case .failed(let answer): return .failed(answer)
        case .resources(let resources):
            var found: [FHIRIdentity.Token: Match] = [:]
            for resource in resources {
                guard let id = resource["id"]?.string, ResourceName.isID(id) else { continue }
                let match = Match(id: id, version: resource["meta"]?["versionId"]?.string, resource: resource)
                for token in FHIRIdentity.tokens(of: resource) where found[token] == nil { found[token] = match }
            }
            return .found(found)
        }
    }

    // MARK: - Add

    public func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        var outcomes: [UUID: HealthOutcome] = [:]
        if let deferred = try await addDevices(of: samples) {
            return StoreAnswers(forAll: deferred)
        }
        var changes: [FHIRChange] = []
        for sample in samples {
            for (type, text) in sample.leaving {
                guard let resource = JSON(reading: text), let id = resource["id"]?.string else {
                    outcomes[sample.uuid] = .refused(code: "resource-invalid")
                    continue
                }
                changes.append(
                    FHIRChange(sample.uuid, type: type, id: id, kind: .add(resource), bytes: text.count))
            }
        }
        try await perform(changes, into: &outcomes)
        return StoreAnswers(outcomes)
    }

    /// Ensures that the measuring devices exist on the server.
    ///
    /// - Returns: nil, or the reason that nothing can be added now.
    private func addDevices(of samples: [OutgoingSample]) async throws -> HealthOutcome? {
        for case let device? in samples.map(\.device) {
            let id = device.resourceID(subject: subject)
            guard !devices.contains(id) else { continue }
            let change = FHIRChange(
                nil, type: "Device", id: id, kind: .add(device.resource(subject: subject)), bytes: 0)
            let abilities = try await abilities()
            if abilities.creation(of: "Device") != .named {
                switch try await find("Device", [.init(system: FHIRIdentity.idSystem, value: id)]) {
                case .found(let found) where !found.isEmpty:
                    devices.insert(id)
                    continue
                case .found: break
                case .failed(let answer):
                    // A token that may not search Devices may still be allowed to write Observations.
                    if answer.status != 403, case .deferred = answer.outcome { return answer.outcome }
                }
            }
            let outcome = try await alone(change)
            if case .deferred(let code, _) = outcome, code != Self.tokenMayNotWrite { return outcome }
            // A server that accepts no Devices may still accept their measurements, or it reports the reason.
            devices.insert(id)
        }
        return nil
    }

    // MARK: - Update

    public func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        var outcomes: [UUID: HealthOutcome] = [:]
        for sample in samples {
            guard let (type, id) = Self.parts(sample.targets.first), let resource = sample.leaving.first,
                let json = JSON(reading: resource.text)
            else {
                outcomes[sample.uuid] = .refused(code: "resource-invalid")
                continue
            }
            guard let match = matches["\(type)/\(id)"] else {
                outcomes[sample.uuid] = try await alone(
                    FHIRChange(sample.uuid, type: type, id: id, kind: .add(json), bytes: 0))
                continue
            }
            outcomes[sample.uuid] = try await update(type, match, with: FHIRIdentity.anonymous(json), isAgain: false)
        }
        return StoreAnswers(outcomes)
    }

    /// Changes a resource of the server, unless its content is equal. A resource that was changed concurrently is read
    /// once more.
    func update(_ type: String, _ match: Match, with resource: JSON, isAgain: Bool) async throws -> HealthOutcome {
        var merged = resource.object ?? JSONObject()
        // Identifiers from other clients or other samples are kept.
        let own = FHIRIdentity.tokens(of: resource)
        let others = (match.resource["identifier"]?.array ?? []).filter { identifier in
            FHIRIdentity.tokens(of: ["identifier": [identifier]]).isDisjoint(with: own)
        }
        if !others.isEmpty { merged["identifier"] = .array((merged["identifier"]?.array ?? []) + others) }
        merged["id"] = .string(match.id)
        guard !Self.isContentEqual(match.resource, .object(merged)) else { return .stored }
        var headers: [String: String] = [:]
        if let version = match.version, try await abilities().isVersioned(type) {
            headers["If-Match"] = "W/\"\(version)\""
        }
        let answer = try await connection.send(
            "PUT", path: "\(type)/\(match.id)", body: .object(merged), headers: headers)
        guard answer.status == 409 || answer.status == 412, !isAgain else { return answer.outcome }
        let present = try await connection.send("GET", path: "\(type)/\(match.id)")
        guard present.isSuccess, let json = present.json else { return present.outcome }
        return try await update(
            type, Match(id: match.id, version: present.version, resource: json), with: resource, isAgain: true)
    }

    /// Returns whether two resources have the same content, apart from the elements that servers add.
    private static func isContentEqual(_ stored: JSON, _ other: JSON) -> Bool {
        func content(_ json: JSON) -> [String: JSON] {
            Dictionary((json.object?.members ?? []).map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
                .filter { !["meta", "text", "id"].contains($0.key) }
        }
        return content(stored) == content(other)
    }

    // MARK: - Delete

    public func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome> {
        let abilities = try await abilities()
        var outcomes: [UUID: HealthOutcome] = [:]
        var named: [FHIRChange] = []
        for sample in samples {
            outcomes[sample.uuid] = .stored
            let targets = sample.targets.compactMap { Self.parts($0) }
            let isNamed = targets.allSatisfy { abilities.creation(of: $0.type) == .named }
            if isNamed {
                named += targets.map { FHIRChange(sample.uuid, type: $0.type, id: $0.id, kind: .delete, bytes: 0) }
                continue
            }
            for target in targets {
                let outcome = try await delete(target.type, FHIRIdentity.tokens(uuid: nil, id: target.id))
                if outcome != HealthOutcome.stored { outcomes[sample.uuid] = outcome }
            }
        }
        try await perform(named, into: &outcomes)
        return StoreAnswers(outcomes)
    }

    /// Deletes all resources with one of the identifiers.
    func delete(_ type: String, _ tokens: [FHIRIdentity.Token]) async throws -> HealthOutcome {
        switch try await find(type, tokens) {
        case .failed(let answer):
            return answer.outcome == .stored ? .deferred(code: "answer-invalid", retryAfter: nil) : answer.outcome
        case .found(let found):
            var gone: Set<String> = []
            for token in tokens {
                guard let match = found[token], gone.insert(match.id).inserted else { continue }
                let outcome = try await delete(type, match)
                guard outcome == .stored else { return outcome }
            }
            return .stored
        }
    }

    private func delete(_ type: String, _ match: Match) async throws -> HealthOutcome {
        var version = try await abilities().isVersioned(type) ? match.version : nil
        for attempt in 0...1 {
            let headers = version.map { ["If-Match": "W/\"\($0)\""] } ?? [:]
            let answer = try await connection.send("DELETE", path: "\(type)/\(match.id)", headers: headers)
            guard attempt == 0, answer.status == 409 || answer.status == 412 else { return answer.deletion }
            let present = try await connection.send("GET", path: "\(type)/\(match.id)")
            guard present.isSuccess else { return present.deletion }
            version = present.version
        }
        return .deferred(code: "http-412", retryAfter: nil)
    }

    // MARK: - Abilities of the server

    /// Returns the abilities of the server. Without a CapabilityStatement, only those of every server are assumed.
    func abilities() async throws -> FHIRServerAbilities {
        if let known { return known }
        let answer = try await connection.send("GET", path: "metadata")
        let abilities = answer.isSuccess ? answer.json.map(FHIRServerAbilities.init) ?? .init() : .init()
        // A server that cannot answer now is asked again: its abilities must not be decided by a temporary failure.
        if answer.status != 403, case .deferred = answer.outcome { throw HealthStoreError(.serverUnavailable) }
        known = abilities
        return abilities
    }

    /// Returns the type and the id of a reference.
    static func parts(_ target: String?) -> (type: String, id: String)? {
        guard let parts = target?.split(separator: "/", omittingEmptySubsequences: false), parts.count == 2 else {
            return nil
        }
        return (String(parts[0]), String(parts[1]))
    }
}
