import Foundation
import TestSupport

@testable import AccessPolicy

/// Random grants and records with few values, so that they match.
enum RandomGrants {
    static let types = ["Observation", "Patient", "Device", "Organization", "Questionnaire", "Condition", "Contract"]
    static let patients = ["a", "b", "c"]
    static let parameters = ["category=lab", "status=final"]
    static let codes = ["ETH", "SUD", "ETHUD", "PSY", "SPI", "HIV", "SOC", "DEMO"]

    /// Each set of parameters that a record may match.
    static let metParameters: [Set<String>] = [[], ["category=lab"], ["status=final"], Set(parameters)]

    static func scopes(_ generator: inout Seeded, labels: Bool, contexts: [String] = ["patient", "user", "system"])
        -> String
    {
        var scopes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            let type = Bool.random(using: &generator) ? "*" : pick(types, &generator)
            let head = "\(pick(contexts, &generator))/\(type)."
            if Int.random(in: 0..<4, using: &generator) == 0 { return head + pick(["read", "write", "*"], &generator) }
            let letters = Array("cruds").filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
            let query = parameters.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
            return head + (letters.isEmpty ? "r" : String(letters))
                + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        }
        if labels {
            if Bool.random(using: &generator) {
                scopes.append("conf/" + pick(Confidentiality.allCases, &generator).code)
            }
            scopes += subset(codes, &generator, oneIn: 4).map { "sens/" + $0 }
            if Int.random(in: 0..<4, using: &generator) == 0 { scopes.append("sens/*") }
        }
        return scopes.shuffled(using: &generator).joined(separator: " ")
    }

    /// Starts and ends of parts: before, at and after 1000 s, the time of the tests.
    static let times = [0, 1000, 2000].map { Date(timeIntervalSince1970: $0) }

    /// Returns a grant of one to four parts. Some parts differ from an earlier one only in their patients or times.
    static func grant(_ generator: inout Seeded) throws -> AccessGrant {
        let own = Int.random(in: 0..<3, using: &generator) == 0
        return try AccessGrant(
            client: "app", person: "person", role: .practitioner, parts: parts(&generator),
            ownResource: own ? OwnResource(type: "Patient", id: "a") : nil)
    }

    static func parts(_ generator: inout Seeded) throws -> [AccessPart] {
        var parts: [AccessPart] = []
        for _ in 0..<pick([1, 1, 2, 3, 4], &generator) {
            if let former = parts.randomElement(using: &generator), Bool.random(using: &generator) {
                let isLater = Bool.random(using: &generator)
                parts.append(
                    AccessPart(
                        patients: former.patients == .all ? .all : .only(Set(subset(patients, &generator, oneIn: 2))),
                        patientInContext: former.patientInContext, scopes: former.scopes,
                        start: isLater ? time(&generator) : former.start, end: former.end))
            } else {
                parts.append(try part(&generator))
            }
        }
        return parts
    }

    private static func part(_ generator: inout Seeded) throws -> AccessPart {
        let seesAll = Int.random(in: 0..<3, using: &generator) == 0
        var scopes = scopes(
            &generator, labels: true, contexts: seesAll ? ["user", "system"] : ["patient", "user", "system"])
        if Int.random(in: 0..<4, using: &generator) == 0 { scopes += " openid fhirUser" }
        return AccessPart(
            patients: seesAll ? .all : .only(Set(subset(patients, &generator, oneIn: 2))),
            patientInContext: Int.random(in: 0..<3, using: &generator) == 0 ? pick(patients, &generator) : nil,
            scopes: try AccessScopes(scopes).withholding(withheld(&generator)), start: time(&generator),
            end: time(&generator))
    }

    /// Returns no types in half of the cases.
    static func withheld(_ generator: inout Seeded) -> Set<String> {
        Bool.random(using: &generator) ? [] : Set(subset(types, &generator, oneIn: 3))
    }

    /// Returns nil in three of four cases.
    private static func time(_ generator: inout Seeded) -> Date? {
        Int.random(in: 0..<4, using: &generator) == 0 ? pick(times, &generator) : nil
    }

    /// Returns a record with the parameters that it matches.
    static func facts(_ generator: inout Seeded, for grant: AccessGrant) -> RecordFacts {
        let met = pick(metParameters, &generator)
        let queries = Set(grant.parts.flatMap(\.scopes.resources).compactMap(\.query)).filter { query in
            query.parameters.allSatisfy { met.contains("\($0.name)=\($0.value)") }
        }
        var labels: [(system: String?, code: String?)] = []
        if Bool.random(using: &generator) {
            labels.append((SecurityLabels.confidentialitySystem, pick(Confidentiality.allCases, &generator).code))
        }
        for code in subset(codes, &generator, oneIn: 8) {
            labels.append(
                (code == "SOC" ? SecurityLabels.localSensitivitySystem : SecurityLabels.sensitivitySystem, code))
        }
        if Int.random(in: 0..<12, using: &generator) == 0 { labels.append(("urn:other", "x")) }
        return RecordFacts(
            type: pick(types, &generator), patients: Set(subset(patients, &generator, oneIn: 2)),
            labels: SecurityLabels(labels), matchedQueries: queries)
    }

    static func pick<Element>(_ values: [Element], _ generator: inout Seeded) -> Element {
        values[Int.random(in: values.indices, using: &generator)]
    }

    private static func subset(_ values: [String], _ generator: inout Seeded, oneIn share: Int) -> [String] {
        values.filter { _ in Int.random(in: 0..<share, using: &generator) == 0 }
    }
}
