import Core
import Foundation

/// Text form of a grant, for work that continues after its request, possibly in another process.
extension AccessGrant {
    /// Parses the text form.
    ///
    /// - Throws: ``AccessGrantError``, ``ScopeError``; ``AccessError`` with the code `grant-unreadable`.
    package init(kept text: String) throws {
        guard let json = JSON(reading: Array(text.utf8)), let role = json["role"]?.string.flatMap(Role.init(rawValue:)),
            let scopes = json["scopes"]?.string
        else { throw AccessError(code: "grant-unreadable", message: "A stored grant cannot be read.") }
        let patients = json["patients"]?.array?.compactMap(\.string)
        try self.init(
            client: json["client"]?.string, person: json["person"]?.string, role: role,
            patients: patients.map { .only(Set($0)) } ?? .all, patientInContext: json["context"]?.string,
            scopes: AccessScopes(scopes), purpose: json["purpose"]?.string,
            end: (json["end"]?.integer).map { Date(timeIntervalSince1970: Double($0) / 1000) })
    }

    /// Text form that ``init(kept:)`` parses.
    package var kept: String {
        var object = JSONObject()
        func set(_ name: String, _ value: String?) { if let value { object[name] = .string(value) } }
        set("client", client)
        set("person", person)
        set("role", role.rawValue)
        if case .only(let ids) = patients { object["patients"] = .array(ids.sorted().map { .string($0) }) }
        set("context", patientInContext)
        set("scopes", scopes.text)
        set("purpose", purpose)
        if let end { object["end"] = .number(JSONNumber(Int((end.timeIntervalSince1970 * 1000).rounded()))) }
        return JSON.object(object).text()
    }

    /// Whether the grant shows at least as much of a type as another one, so that a result made under the other may be
    /// returned for this one.
    package func shows(asMuchAs other: AccessGrant, of type: String, at now: Date) -> Bool {
        let policy = Policy()
        let isWide = [RecordInteraction.read, .searchType].allSatisfy { interaction in
            let own = scopes.resources(of: type, for: interaction.permission)
            return policy.decide(self, interaction, type: type, at: now).isPermitted
                && other.scopes.resources(of: type, for: interaction.permission).allSatisfy { scope in
                    own.contains { $0.query == nil || $0.query == scope.query }
                }
        }
        return isWide && (patients == .all || patients == other.patients) && patientInContext == other.patientInContext
            && confidentiality >= other.confidentiality && sensitivity.includes(other.sensitivity)
    }
}
