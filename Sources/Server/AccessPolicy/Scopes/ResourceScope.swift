import Core

/// A SMART on FHIR scope for records: `patient/Observation.rs?category=laboratory`
/// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources>).
package struct ResourceScope: Sendable, Hashable {
    /// Set of records that a scope covers.
    package enum Context: String, Sendable, CaseIterable {
        /// Records of the patient in context.
        case patient
        /// Records that the person who uses the app has access to.
        case user
        /// Records that a client without a person has access to.
        case system
    }

    /// Set of records that it covers.
    package let context: Context
    /// Resource type; nil for all, `*`.
    package let type: String?
    /// Permitted operations.
    package let permissions: ScopePermissions
    /// Query that limits the records; nil for no limit.
    package let query: ScopeQuery?

    init(context: Context, type: String?, permissions: ScopePermissions, query: ScopeQuery? = nil) {
        self.context = context
        self.type = type
        self.permissions = permissions
        self.query = query
    }

    /// Parses a scope of version 2 or 1, and returns whether it is of version 1; nil if it is neither.
    static func read(_ text: Substring) -> (scope: ResourceScope, isVersionOne: Bool)? {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let slash = parts[0].firstIndex(of: "/"), let dot = parts[0].lastIndex(of: "."), slash < dot,
            let context = Context(rawValue: String(parts[0][..<slash]))
        else { return nil }
        let name = String(parts[0][parts[0].index(after: slash)..<dot])
        let access = parts[0][parts[0].index(after: dot)...]
        guard name == "*" || ResourceName.isType(name) else { return nil }
        let type = name == "*" ? nil : name
        if let permissions = ScopePermissions(letters: access) {
            guard parts.count > 1 else {
                return (ResourceScope(context: context, type: type, permissions: permissions), false)
            }
            guard let query = ScopeQuery(parts[1]) else { return nil }
            return (ResourceScope(context: context, type: type, permissions: permissions, query: query), false)
        }
        // Version 1 has no queries.
        guard parts.count == 1, let permissions = ScopePermissions(versionOne: access) else { return nil }
        return (ResourceScope(context: context, type: type, permissions: permissions), true)
    }

    /// Text in the syntax of version 2.
    package var text: String { head + permissions.letters + (query.map { "?" + $0.text } ?? "") }

    /// Text in the syntax of version 1; nil if version 1 cannot express it.
    var versionOneText: String? { query == nil ? permissions.versionOne.map { head + $0 } : nil }

    private var head: String { "\(context.rawValue)/\(type ?? "*")." }

    /// Whether it covers records of a type.
    package func reaches(type name: String) -> Bool { type == nil || type == name }

    /// Whether it permits all that the other one permits.
    func covers(_ other: ResourceScope) -> Bool {
        guard context == other.context, type == nil || type == other.type,
            permissions.isSuperset(of: other.permissions)
        else { return false }
        guard let query else { return true }
        return other.query.map(query.covers) ?? false
    }

    /// Returns the part that both permit; nil if it is empty.
    func intersection(_ other: ResourceScope) -> ResourceScope? {
        let common = permissions.intersection(other.permissions)
        guard context == other.context, !common.isEmpty, type == nil || other.type == nil || type == other.type else {
            return nil
        }
        let narrowed = query.map { query in other.query.map(query.and) ?? query } ?? other.query
        return ResourceScope(context: context, type: type ?? other.type, permissions: common, query: narrowed)
    }
}
