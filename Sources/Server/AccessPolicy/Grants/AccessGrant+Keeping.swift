import Core
import Foundation

/// Text form of a grant, for work that continues after its request, possibly in another process.
///
/// A grant of one part has the members of the part in the outer object. Any other grant has a list `parts`.
extension AccessGrant {
    /// Parses the text form.
    ///
    /// - Throws: ``AccessGrantError``, ``ScopeError``; ``AccessError`` with the code `grant-unreadable`.
    package init(kept text: String) throws {
        guard let json = JSON(reading: Array(text.utf8)), let role = json["role"]?.string.flatMap(Role.init(rawValue:))
        else { throw AccessGrant.unreadable }
        let parts: [AccessPart]
        if let several = json["parts"] {
            guard let items = several.array else { throw AccessGrant.unreadable }
            parts = try items.map { try AccessPart(kept: $0) }
        } else {
            parts = [try AccessPart(kept: json)]
        }
        var permissionIDs: Set<String> = []
        if let list = json["permissions"] {
            guard let ids = list.array else { throw AccessGrant.unreadable }
            permissionIDs = Set(ids.compactMap(\.string))
            // A lost id would be a permission whose end has no effect.
            guard permissionIDs.count == ids.count else { throw AccessGrant.unreadable }
        }
        if let part = parts.first, parts.count == 1 {
            guard !part.isMissingPatients(for: role) else { throw AccessGrantError.patientMissing }
            self.init(
                unchecked: json["client"]?.string, person: json["person"]?.string, role: role, parts: parts,
                purpose: json["purpose"]?.string, permissionIDs: permissionIDs)
        } else {
            try self.init(
                client: json["client"]?.string, person: json["person"]?.string, role: role, parts: parts,
                purpose: json["purpose"]?.string, permissionIDs: permissionIDs)
        }
    }

    fileprivate static let unreadable = AccessError(
        code: "grant-unreadable", message: "A stored grant cannot be read.")

    /// Text form that ``init(kept:)`` parses.
    package var kept: String {
        var object = JSONObject()
        object.keep("client", client)
        object.keep("person", person)
        object.keep("role", role.rawValue)
        if let onlyPart {
            onlyPart.keep(in: &object)
        } else {
            object["parts"] = .array(
                parts.map { part in
                    var members = JSONObject()
                    part.keep(in: &members)
                    return .object(members)
                })
        }
        object.keep("purpose", purpose)
        if !permissionIDs.isEmpty {
            object["permissions"] = .array(permissionIDs.sorted().map { .string($0) })
        }
        return JSON.object(object).text()
    }

    /// Whether the grant shows at least as much of a type as another one, so that a result made under the other may be
    /// returned for this one. It is true only if a single part of this grant covers each part of the other one.
    ///
    /// - Parameter other: the parts that were in force when the result was made (``inForce(at:)``).
    package func shows(asMuchAs other: AccessGrant, of type: String, at now: Date) -> Bool {
        let own = parts.filter { $0.isInForce(at: now) }
        // A part that neither reads nor searches the type has added nothing.
        let shown =
            other.parts.count == 1
            ? other.parts
            : other.parts.filter { part in
                [ScopePermissions.read, .search].contains { !part.scopes.resources(of: type, for: $0).isEmpty }
            }
        return !shown.isEmpty
            && shown.allSatisfy { part in own.contains { $0.shows(asMuchAs: part, of: type) } }
    }
}

extension AccessPart {
    /// Parses the members of the text form.
    fileprivate init(kept json: JSON) throws {
        guard let scopes = json["scopes"]?.string else { throw AccessGrant.unreadable }
        var patients = PatientAccess.all
        if let list = json["patients"] {
            guard let ids = list.array else { throw AccessGrant.unreadable }
            patients = .only(Set(ids.compactMap(\.string)))
        }
        func time(_ name: String) throws -> Date? {
            guard let value = json[name] else { return nil }
            guard let milliseconds = value.integer else { throw AccessGrant.unreadable }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        var withheld: Set<String> = []
        if let list = json["withheld"] {
            guard let types = list.array else { throw AccessGrant.unreadable }
            withheld = Set(types.compactMap(\.string))
            guard withheld.count == types.count else { throw AccessGrant.unreadable }
        }
        self.init(
            patients: patients, patientInContext: json["context"]?.string,
            scopes: try AccessScopes(scopes).withholding(withheld),
            start: try time("start"), end: try time("end"))
    }

    /// Writes the members of the text form. Times are whole milliseconds.
    fileprivate func keep(in object: inout JSONObject) {
        if case .only(let ids) = patients { object["patients"] = .array(ids.sorted().map { .string($0) }) }
        object.keep("context", patientInContext)
        object.keep("scopes", scopes.text)
        if !scopes.withheldTypes.isEmpty {
            object["withheld"] = .array(scopes.withheldTypes.sorted().map { .string($0) })
        }
        if let start { object["start"] = AccessPart.milliseconds(start, .up) }
        if let end { object["end"] = AccessPart.milliseconds(end, .toNearestOrAwayFromZero) }
    }

    private static func milliseconds(_ time: Date, _ rule: FloatingPointRoundingRule) -> JSON {
        .number(JSONNumber(Int((time.timeIntervalSince1970 * 1000).rounded(rule))))
    }
}

extension JSONObject {
    /// Sets a member; nil leaves it out.
    fileprivate mutating func keep(_ name: String, _ value: String?) { if let value { self[name] = .string(value) } }
}
