import Core
import Foundation
import HealthStores
import Outbox
import TestSupport
import Wire

/// A FHIR server in memory with configurable features.
actor FHIRServer: Transport {
    /// The supported features, and those that its CapabilityStatement declares.
    struct Habits: Sendable {
        var transactions = false
        var updateCreate = false
        var conditionalCreate = false
        var versions = false
        /// It declares all features, whether it supports them or not.
        var lies = false
        /// It declares nothing.
        var isSilent = false
        /// Probability that it loses a request or its response, or is busy.
        var faults = 0.0
        /// Resources per page.
        var page = 100
        /// Values that it refuses.
        var refused: Set<String> = []
        /// The accepted token; nil accepts all.
        var token: String?
        /// The types that its token may not write, and may not search.
        var forbidden: Set<String> = []
    }

    struct Stored {
        var version: Int
        var resource: JSON
    }

    var habits: Habits
    private(set) var stored: [String: Stored] = [:]
    private(set) var requests: [TransportRequest] = []
    private var next = 1
    private var random: Seeded

    init(_ habits: Habits = Habits(), seed: UInt64 = 1) {
        self.habits = habits
        random = Seeded(seed)
    }

    func change(_ change: @Sendable (inout Habits) -> Void) { change(&habits) }
    func forgetRequests() { requests = [] }

    /// The ids of the device's Observations, each as often as it is stored.
    var observations: [String] {
        stored.filter { $0.key.hasPrefix("Observation/") }.map { key, value in
            let named = value.resource["identifier"]?.array?.first {
                $0["system"]?.string == "urn:tributary:resource-id"
            }
            return named?["value"]?.string ?? String(key.dropFirst("Observation/".count))
        }.sorted()
    }

    /// Changes a resource as another client does.
    func touch(_ key: String, _ change: @Sendable (inout JSONObject) -> Void) {
        guard var object = stored[key]?.resource.object else { return }
        change(&object)
        stored[key]?.resource = .object(object)
        stored[key]?.version += 1
    }

    struct Lost: Error {}

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.append(request)
        if let token = habits.token, request.headers["Authorization"] != "Bearer \(token)" {
            return TransportResponse(status: 401)
        }
        let entries = request.body.flatMap { JSON(reading: $0) }?["entry"]?.array ?? []
        let paths = [request.url.path] + entries.compactMap { ($0["request"]?["url"]?.string).map { "/" + $0 } }
        let touched = habits.forbidden.filter { type in paths.contains { $0.contains("/\(type)") } }
        if !touched.isEmpty { return TransportResponse(status: 403) }
        let dice = Double.random(in: 0..<1, using: &random)
        if dice < habits.faults / 3 { throw Lost() }
        if dice < habits.faults * 2 / 3 { return TransportResponse(status: 503, headers: ["Retry-After": "0"]) }
        let answer = answer(request)
        if dice < habits.faults { throw Lost() }
        return answer
    }

    private func answer(_ request: TransportRequest) -> TransportResponse {
        let path = String(request.url.path.dropFirst("/fhir".count)).trimmingCharacters(in: ["/"])
        let body = request.body.flatMap { JSON(reading: $0) }
        if path == "metadata" { return metadata }
        if path.isEmpty, request.method == "POST" { return bundle(body) }
        let query = request.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        return interaction(request.method, on: path + query, body: body, headers: request.headers)
    }

    private var metadata: TransportResponse {
        guard !habits.isSilent else { return TransportResponse(status: 404) }
        let claimsAll = habits.lies
        let resources = ["Observation", "Device"].map { type -> JSON in
            [
                "type": .string(type), "updateCreate": .bool(claimsAll || habits.updateCreate),
                "conditionalCreate": .bool(claimsAll || habits.conditionalCreate),
                "versioning": .string(habits.versions ? "versioned" : "no-version"),
                "interaction": [["code": "read"], ["code": "create"], ["code": "update"], ["code": "delete"]],
            ]
        }
        return json(
            200,
            body: [
                "resourceType": "CapabilityStatement",
                "rest": [
                    [
                        "mode": "server", "resource": .array(resources),
                        "interaction": claimsAll || habits.transactions ? [["code": "transaction"]] : [],
                    ]
                ],
            ])
    }

    private func bundle(_ body: JSON?) -> TransportResponse {
        guard habits.transactions, let entries = body?["entry"]?.array else { return TransportResponse(status: 405) }
        let (before, number) = (stored, next)
        var answers: [JSON] = []
        for entry in entries {
            let request = entry["request"]
            var headers: [String: String] = [:]
            if let condition = request?["ifNoneExist"]?.string { headers["If-None-Exist"] = condition }
            let answer = interaction(
                request?["method"]?.string ?? "", on: request?["url"]?.string ?? "", body: entry["resource"],
                headers: headers)
            guard answer.status < 400 || answer.status == 404 || answer.status == 410 else {
                (stored, next) = (before, number)
                return answer
            }
            answers.append(["response": ["status": .string("\(answer.status) Word")]])
        }
        return json(200, body: ["resourceType": "Bundle", "type": "transaction-response", "entry": .array(answers)])
    }

    private func interaction(
        _ method: String, on target: String, body: JSON?, headers: [String: String]
    ) -> TransportResponse {
        let parts = target.split(separator: "?", maxSplits: 1)
        let path = parts.first?.split(separator: "/").map(String.init) ?? []
        let type = path.first ?? ""
        switch (method, path.count) {
        case ("GET", 1): return search(type, String(parts.count > 1 ? parts[1] : ""))
        case ("GET", 2):
            guard let found = stored[path.joined(separator: "/")] else { return TransportResponse(status: 404) }
            return shown(found, 200)
        case ("POST", 1):
            if habits.conditionalCreate, let condition = headers["If-None-Exist"] {
                switch matches(type, condition).count {
                case 0: break
                case 1: return TransportResponse(status: 200)
                default: return TransportResponse(status: 412)
                }
            } else if headers["If-None-Exist"] != nil {
                return TransportResponse(status: 501)
            }
            return write(type, id: "s\(next)", body: body, status: 201)
        case ("PUT", 2):
            let key = path.joined(separator: "/")
            guard let found = stored[key] else {
                return habits.updateCreate
                    ? write(type, id: path[1], body: body, status: 201) : TransportResponse(status: 405)
            }
            if habits.versions, let wanted = headers["If-Match"], wanted != "W/\"\(found.version)\"" {
                return TransportResponse(status: 412)
            }
            return write(type, id: path[1], body: body, status: 200)
        case ("DELETE", 2):
            let key = path.joined(separator: "/")
            guard let found = stored[key] else { return TransportResponse(status: 404) }
            if habits.versions, let wanted = headers["If-Match"], wanted != "W/\"\(found.version)\"" {
                return TransportResponse(status: 412)
            }
            stored[key] = nil
            return TransportResponse(status: 204)
        default: return TransportResponse(status: 405)
        }
    }

    private func write(_ type: String, id: String, body: JSON?, status: Int) -> TransportResponse {
        guard var object = body?.object else { return TransportResponse(status: 400) }
        if let value = object["valueQuantity"]?["value"]?.number?.text, habits.refused.contains(value) {
            return TransportResponse(status: 422)
        }
        next += 1
        object["id"] = .string(id)
        let key = "\(type)/\(id)"
        stored[key] = Stored(version: (stored[key]?.version ?? 0) + 1, resource: .object(object))
        return shown(stored[key] ?? Stored(version: 0, resource: .null), status)
    }

    private func shown(_ stored: Stored, _ status: Int) -> TransportResponse {
        var object = stored.resource.object ?? JSONObject()
        if habits.versions { object["meta"] = ["versionId": .string("\(stored.version)")] }
        return json(status, body: .object(object), headers: habits.versions ? ["ETag": "W/\"\(stored.version)\""] : [:])
    }

    private func matches(_ type: String, _ query: String) -> [String] {
        let value =
            query.split(separator: "&").first { $0.hasPrefix("identifier=") }?.dropFirst("identifier=".count) ?? ""
        let wanted = Set(value.split(separator: ",").compactMap { PercentEncoding.decode($0) })
        return stored.filter { key, value in
            key.hasPrefix(type + "/")
                && (value.resource["identifier"]?.array ?? []).contains { identifier in
                    wanted.contains("\(identifier["system"]?.string ?? "")|\(identifier["value"]?.string ?? "")")
                }
        }.keys.sorted()
    }

    private func search(_ type: String, _ query: String) -> TransportResponse {
        let keys = matches(type, query)
        let from = query.split(separator: "&").first { $0.hasPrefix("from=") }.flatMap { Int($0.dropFirst(5)) } ?? 0
        let entries = keys.dropFirst(from).prefix(habits.page).compactMap { key -> JSON? in
            guard let found = stored[key] else { return nil }
            var object = found.resource.object ?? JSONObject()
            if habits.versions { object["meta"] = ["versionId": .string("\(found.version)")] }
            return ["resource": .object(object)]
        }
        var links: [JSON] = []
        if from + habits.page < keys.count {
            let rest = query.split(separator: "&").filter { !$0.hasPrefix("from=") }.joined(separator: "&")
            links = [
                [
                    "relation": "next",
                    "url": .string("https://r4.example/fhir/\(type)?\(rest)&from=\(from + habits.page)"),
                ]
            ]
        }
        return json(
            200,
            body: ["resourceType": "Bundle", "type": "searchset", "entry": .array(entries), "link": .array(links)])
    }

    private func json(_ status: Int, body json: JSON, headers: [String: String] = [:]) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: json.data())
    }
}

/// An event hub in memory.
actor Hub: Transport {
    private(set) var messages: [JSON] = []
    private(set) var bodies: [Data] = []
    var statuses: [Int] = []
    private let faults: Double
    private var random: Seeded

    init(faults: Double = 0, seed: UInt64 = 1) {
        self.faults = faults
        random = Seeded(seed)
    }

    func answer(with statuses: [Int]) { self.statuses = statuses }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let dice = Double.random(in: 0..<1, using: &random)
        if dice < faults / 2 { throw FHIRServer.Lost() }
        let status = statuses.isEmpty ? 201 : statuses.removeFirst()
        guard status < 300 else { return TransportResponse(status: status) }
        bodies.append(request.body ?? Data())
        for message in JSON(reading: request.body ?? Data())?.array ?? [] {
            if let body = message["Body"]?.string, let json = JSON(reading: Data(body.utf8)) { messages.append(json) }
        }
        if dice < faults { throw FHIRServer.Lost() }
        return TransportResponse(status: status)
    }

    /// The samples that exist for a reader that processes the messages in order.
    var samples: Set<String> {
        var present: Set<String> = []
        for message in messages {
            guard let uuid = message["uuid"]?.string else { continue }
            if message["deleted"]?.bool == true { present.remove(uuid) } else { present.insert(uuid) }
        }
        return present
    }
}
