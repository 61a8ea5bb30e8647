import AccessPolicy
import FHIR
import Foundation
import TestSupport

@testable import FHIRSearch

/// Random resources of a hospital that refer to each other, and random searches for them.
struct SearchedResources {
    static let types = [
        "Patient", "Practitioner", "Organization", "Observation", "Encounter", "Condition", "Group", "Device",
        "Questionnaire", "QuestionnaireResponse", "Provenance",
    ]
    private static let names = ["Anna", "Ann", "Émile", "bo", "Zoë", "O'Neil", "Strasse", "Straße", "x_y", "100%"]
    private static let codes = ["a", "b", "c", "d"]
    private static let sensitivities = ["ETH", "PSY", "HIV"]
    private static let days = [
        "2026", "2026-03", "2026-03-01", "2026-03-02T10:00:00Z", "2026-04-05T00:00:00+02:00", "2025-12",
    ]
    /// Number of ids of each type: few, so that references have targets.
    static let idsOfType = 8

    var random: Seeded

    private mutating func some(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
    private mutating func id(_ type: String) -> String {
        type.prefix(3).lowercased() + String(Int.random(in: 0..<Self.idsOfType, using: &random))
    }

    // MARK: Resources

    /// Returns resources with all ids of all types in a random order; some are missing.
    mutating func resources() -> [String] {
        var all: [String] = []
        for type in Self.types {
            for number in 0..<Self.idsOfType where !chance(6) {
                all.append(resource(type, type.prefix(3).lowercased() + String(number)))
            }
        }
        return all.shuffled(using: &random)
    }

    private mutating func reference(_ types: [String]) -> String {
        let type = some(types)
        let id = id(type)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return #"{"reference":"\#(SearchStore.base)/\#(type)/\#(id)"}"#
        case 1: return #"{"reference":"http://other/fhir/\#(type)/\#(id)"}"#
        case 2: return #"{"reference":"\#(type)/\#(id)/_history/1"}"#
        case 3: return ##"{"reference":"#x","display":"\##(id)"}"##
        case 4: return #"{"identifier":{"system":"urn:i","value":"\#(id)"}}"#
        default: return #"{"reference":"\#(type)/\#(id)"}"#
        }
    }

    private mutating func references(_ types: [String], upTo maximum: Int) -> String {
        let count = Int.random(in: 1...maximum, using: &random)
        return "[" + (0..<count).map { _ in reference(types) }.joined(separator: ",") + "]"
    }

    private mutating func concept() -> String {
        #"{"coding":[{"system":"urn:s\#(Int.random(in: 0..<2, using: &random))","code":"\#(some(Self.codes))"}],"text":"\#(some(Self.names))"}"#
    }

    private mutating func period() -> String {
        let start = chance(4) ? "" : #""start":"\#(some(Self.days))""#
        let end = chance(2) && !start.isEmpty ? "" : #""end":"\#(some(Self.days))""#
        return "{" + [start, end].filter { !$0.isEmpty }.joined(separator: ",") + "}"
    }

    mutating func resource(_ type: String, _ id: String) -> String {
        var members = [#""resourceType":"\#(type)""#, #""id":"\#(id)""#]
        func add(_ name: String, _ value: String, unless isLeftOut: Bool) {
            if !isLeftOut { members.append(#""\#(name)":\#(value)"#) }
        }
        switch type {
        case "Patient":
            add("name", #"[{"family":"\#(some(Self.names))","given":["\#(some(Self.names))"]}]"#, unless: chance(5))
            add("gender", #""\#(some(["male", "female"]))""#, unless: chance(5))
            add("birthDate", #""\#(some(["2000", "1990-05", "1985-07-01"]))""#, unless: chance(5))
            add("generalPractitioner", references(["Practitioner", "Organization"], upTo: 2), unless: chance(3))
            add("managingOrganization", reference(["Organization"]), unless: chance(3))
            add("link", #"[{"other":\#(reference(["Patient"])),"type":"seealso"}]"#, unless: !chance(4))
        case "Practitioner": add("name", #"[{"family":"\#(some(Self.names))"}]"#, unless: chance(5))
        case "Organization":
            add("name", #""\#(some(Self.names))""#, unless: chance(5))
            add("partOf", reference(["Organization"]), unless: chance(3))
        case "Observation":
            add("code", concept(), unless: chance(8))
            add("subject", reference(["Patient", "Patient", "Patient", "Group", "Device"]), unless: chance(6))
            add("performer", references(["Practitioner", "Patient", "Organization"], upTo: 2), unless: chance(3))
            add("encounter", reference(["Encounter"]), unless: chance(3))
            add("hasMember", references(["Observation"], upTo: 2), unless: chance(3))
            add("focus", references(["Condition", "Observation", "Patient"], upTo: 2), unless: chance(3))
            if chance(3) {
                members.append(#""effectivePeriod":\#(period())"#)
            } else {
                add("effectiveDateTime", #""\#(some(Self.days))""#, unless: chance(4))
            }
            let value = some(["1", "2.50", "2.5", "-3", "70"])
            let comparator = chance(5) ? #""comparator":"<","# : ""
            let unit = some(["mg", "g"])
            add(
                "valueQuantity",
                #"{"value":\#(value),\#(comparator)"unit":"\#(unit)","system":"http://unitsofmeasure.org","code":"\#(unit)"}"#,
                unless: chance(3))
        case "Encounter":
            add("subject", reference(["Patient"]), unless: chance(6))
            add("period", period(), unless: chance(3))
            add("partOf", reference(["Encounter"]), unless: chance(3))
            add("type", "[" + concept() + "]", unless: chance(3))
        case "Condition":
            add("subject", reference(["Patient"]), unless: chance(6))
            add("code", concept(), unless: chance(5))
            add("onsetDateTime", #""\#(some(Self.days))""#, unless: chance(3))
            add("evidence", #"[{"detail":\#(references(["Observation", "Condition"], upTo: 2))}]"#, unless: chance(2))
        case "Group":
            add(
                "member", #"[{"entity":\#(reference(["Patient", "Device"]))},{"entity":\#(reference(["Patient"]))}]"#,
                unless: chance(4))
        case "Device":
            add("patient", reference(["Patient"]), unless: chance(3))
            add("type", concept(), unless: chance(3))
        case "Questionnaire":
            add("url", #""http://q/\#(Int.random(in: 0..<3, using: &random))""#, unless: chance(6))
            add("version", #""\#(Int.random(in: 1..<3, using: &random))""#, unless: chance(3))
            add("title", #""\#(some(Self.names))""#, unless: chance(3))
        case "QuestionnaireResponse":
            let version = chance(2) ? "" : "|\(Int.random(in: 1..<3, using: &random))"
            add("questionnaire", #""http://q/\#(Int.random(in: 0..<3, using: &random))\#(version)""#, unless: chance(6))
            add("subject", reference(["Patient"]), unless: chance(5))
            add("authored", #""\#(some(Self.days))""#, unless: chance(3))
        default: add("target", references(["Observation", "Patient", "Condition"], upTo: 3), unless: chance(8))
        }
        if chance(8) {
            let label =
                chance(2)
                ? #"{"system":"\#(SecurityLabels.confidentialitySystem)","code":"\#(some(["R", "V", "L"]))"}"#
                : #"{"system":"\#(SecurityLabels.sensitivitySystem)","code":"\#(some(Self.sensitivities))"}"#
            members.append(#""meta":{"security":[\#(label)]}"#)
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    // MARK: Searches

    /// Returns a parameter of a type with a value.
    private mutating func condition(_ type: String, depth: Int = 0) -> String {
        if depth < 3, chance(3), let chain = chain(type, depth) { return chain }
        let text = some(["Ann", "e", "o", "Stras", "x_", "100%"])
        let day = some(["eq", "ge", "lt", "ne", "sa", "ap", ""]) + some(Self.days)
        let code = some(["", "urn:s0|", "|"]) + some(Self.codes)
        switch type {
        case "Patient":
            return some([
                "name=\(text)", "family:contains=\(text)", "gender=female", "gender:not=male",
                "birthdate=\(some(["lt2000", "1990"]))", "_id=\(id(type))",
                "general-practitioner=\(id("Practitioner"))", "organization:missing=true",
            ])
        case "Practitioner", "Organization":
            return some(["name=\(text)", "_id=\(id(type)),\(id(type))", "name:missing=\(some(["true", "false"]))"])
        case "Observation":
            return some([
                "code=\(code)", "code:not=\(code)", "combo-code=\(code)", "code:text=\(text)", "date=\(day)",
                "value-quantity=\(some(["gt", "lt", "", "ge"]))\(some(["2", "2.5", "0.0025|http://unitsofmeasure.org|g"]))",
                "subject=Patient/\(id("Patient"))", "patient=\(id("Patient"))",
                "performer:Practitioner=\(id("Practitioner"))", "subject:missing=\(some(["true", "false"]))",
                "code-value-quantity=\(some(Self.codes))$gt2",
            ])
        case "Encounter":
            return some(["type=\(code)", "date=\(day)", "subject=\(id("Patient"))", "part-of:missing=false"])
        case "Condition": return some(["code=\(code)", "onset-date=\(day)", "patient=\(id("Patient"))"])
        case "Group": return "member=\(id("Patient"))"
        case "Device": return some(["type=\(code)", "patient:missing=true"])
        case "Questionnaire":
            return some(["title=\(text)", "url=http://q/\(Int.random(in: 0..<3, using: &random))", "version=1"])
        case "QuestionnaireResponse":
            return some(["authored=\(day)", "questionnaire=http://q/1", "subject=\(id("Patient"))"])
        default: return "target=Observation/\(id("Observation"))"
        }
    }

    /// References between the types: parameter, type modifier or none, target type.
    private static let ways: [(from: String, way: String, to: String)] = [
        ("Patient", "general-practitioner:Practitioner", "Practitioner"), ("Patient", "organization", "Organization"),
        ("Patient", "link:Patient", "Patient"), ("Organization", "partof", "Organization"),
        ("Observation", "subject:Patient", "Patient"), ("Observation", "patient", "Patient"),
        ("Observation", "subject:Group", "Group"), ("Observation", "performer:Organization", "Organization"),
        ("Observation", "encounter", "Encounter"), ("Observation", "has-member:Observation", "Observation"),
        ("Observation", "focus:Condition", "Condition"), ("Encounter", "patient", "Patient"),
        ("Encounter", "part-of", "Encounter"), ("Condition", "subject:Patient", "Patient"),
        ("Condition", "evidence-detail:Observation", "Observation"), ("Group", "member:Patient", "Patient"),
        ("Device", "patient", "Patient"), ("QuestionnaireResponse", "questionnaire", "Questionnaire"),
        ("QuestionnaireResponse", "patient", "Patient"), ("Provenance", "target:Observation", "Observation"),
        ("Provenance", "patient", "Patient"),
    ]

    private mutating func chain(_ type: String, _ depth: Int) -> String? {
        if chance(2), let way = Self.ways.filter({ $0.to == type }).randomElement(using: &random) {
            let parameter = way.way.split(separator: ":")[0]
            return "_has:\(way.from):\(parameter):" + condition(way.from, depth: depth + 1)
        }
        guard let way = Self.ways.filter({ $0.from == type }).randomElement(using: &random) else { return nil }
        return way.way + "." + condition(way.to, depth: depth + 1)
    }

    private mutating func include(_ type: String) -> String {
        let ways = Self.ways.filter { $0.from == type || $0.to == type }
        guard let way = (chance(3) ? Self.ways : ways).randomElement(using: &random) else { return "_include=*" }
        let parts = way.way.split(separator: ":").map(String.init)
        let parameter = chance(5) ? "*" : parts[0]
        let target = chance(2) ? ":" + way.to : ""
        let iterate = chance(2) ? ":iterate" : ""
        if chance(8) { return "_include\(iterate)=*" }
        if chance(12) { return "_revinclude=*" }
        let name = way.to == type ? "_revinclude" : "_include"
        return "\(name)\(iterate)=\(way.from):\(parameter)\(target)"
    }

    private mutating func sort(_ type: String) -> String {
        let common = ["_id"]
        let own: [String: [String]] = [
            "Patient": ["name", "birthdate", "gender", "organization", "general-practitioner"],
            "Observation": [
                "date", "value-quantity", "code", "subject", "combo-code", "performer", "combo-value-quantity",
            ],
            "Encounter": ["date", "type"], "Condition": ["onset-date", "code"], "Questionnaire": ["title", "url"],
            "QuestionnaireResponse": ["authored", "questionnaire"], "Organization": ["name"],
        ]
        let names = (own[type] ?? []) + common
        let count = Int.random(in: 1...2, using: &random)
        return (0..<count).map { _ in (chance(2) ? "-" : "") + some(names) }.joined(separator: ",")
    }

    /// Returns a search of one type, of several types, or of a compartment.
    mutating func search() -> (scope: SearchQuery.Scope, query: String) {
        if chance(6) { return searchOfSeveral() }
        let type = some(Self.types)
        var parts = (0..<(chance(4) ? 2 : Int.random(in: 0...1, using: &random))).map { _ in condition(type) }
        for _ in 0..<Int.random(in: 0...2, using: &random) { parts.append(include(type)) }
        if chance(2) { parts.append("_sort=" + sort(type)) }
        parts.append("_count=\(Int.random(in: 1...4, using: &random))")
        var scope = SearchQuery.Scope.type(type)
        if chance(6), let compartment = compartment(), compartment.types.contains(type) {
            scope = .compartment(compartment, type: type)
        }
        return (scope, parts.joined(separator: "&"))
    }

    private mutating func compartment() -> SearchCompartment? {
        let type = some(["Patient", "Patient", "Encounter", "Practitioner", "Device"])
        return SearchCompartment(type: type, id: id(type))
    }

    private mutating func searchOfSeveral() -> (scope: SearchQuery.Scope, query: String) {
        let types = [some(Self.types), some(Self.types), some(Self.types)]
        var parts = ["_count=\(Int.random(in: 1...6, using: &random))"]
        var scope = SearchQuery.Scope.system
        if chance(2), let compartment = compartment() {
            scope = .compartment(compartment, type: nil)
        } else if !chance(6) {
            parts.append("_type=" + types.joined(separator: ","))
        }
        if chance(2) { parts.append("_sort=" + (chance(2) ? "-" : "") + "_id") }
        if chance(3) { parts.append("_id=" + types.map { id($0) }.joined(separator: ",")) }
        if chance(2) { parts.append(include(types[0])) }
        return (scope, parts.joined(separator: "&"))
    }

    /// Queries that limit scopes; a type without the parameter is not shown.
    private static let scopeQueries = [
        "?code=a,b", "?gender=female", "?date=ge2026-03", "?_id=pat1,pat2,obs3", "?subject=Patient/pat2", "?name=a",
    ]

    /// Returns a grant of one to four parts. Some are for other patients with the scopes of an earlier part, and some
    /// are not in force at the time of the searches.
    mutating func grant() throws -> AccessGrant {
        var parts: [AccessPart] = []
        var last: AccessScopes?
        for _ in 0..<([1, 1, 2, 3, 4].randomElement(using: &random) ?? 1) {
            let isNew = last == nil || chance(2)
            let seesAll = isNew && chance(3)
            let text = scopes(seesAll: seesAll)
            let scopes = try isNew ? AccessScopes(text) : last ?? AccessScopes(text)
            last = scopes
            let patients = (0..<Int.random(in: 2...9, using: &random)).map { _ in id("Patient") }
            parts.append(
                AccessPart(
                    patients: seesAll ? .all : .only(Set(patients)),
                    patientInContext: chance(6) ? patients.first : nil, scopes: scopes,
                    start: chance(8) ? instant() : nil,
                    end: chance(4) ? instant() : nil))
        }
        return try AccessGrant(client: "app", role: .practitioner, parts: parts)
    }

    /// Returns a time before, at or after that of the searches.
    private mutating func instant() -> Date {
        SearchStore.time.addingTimeInterval([-9, 0, 9, 99].randomElement(using: &random) ?? 0)
    }

    private mutating func scopes(seesAll: Bool) -> String {
        var scopes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let type = chance(2) ? "*" : some(Self.types)
            let context = seesAll ? "user" : some(["patient", "user"])
            let query = chance(5) ? some(Self.scopeQueries) : ""
            return "\(context)/\(type)." + some(["rs", "s", "r", "rs"]) + query
        }
        if chance(2) { scopes.append("conf/" + some(["R", "V", "N"])) }
        scopes += Self.sensitivities.filter { _ in chance(3) }.map { "sens/" + $0 }
        if chance(4) { scopes.append("sens/*") }
        return scopes.joined(separator: " ")
    }
}
