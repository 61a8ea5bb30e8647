import Core

/// A scope of SMART on FHIR that reaches records: `patient/Observation.rs?category=laboratory`
/// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources>).
public struct ResourceScope: Sendable, Hashable {
    /// Whose records a scope reaches.
    public enum Context: String, Sendable, CaseIterable {
        /// Those of the patient in context.
        case patient
        /// Those that the person who uses the app reaches.
        case user
        /// Those that a client reaches on its own.
        case system
    }

    /// Whose records it reaches.
    public let context: Context
    /// The resource type; nil for all, `*`.
    public let type: String?
    /// What it lets do with them.
    public let permissions: ScopePermissions
    /// What narrows it; nil where nothing does.
    public let query: ScopeQuery?

    init(context: Context, type: String?, permissions: ScopePermissions, query: ScopeQuery? = nil) {
        self.context = context
        self.type = type
        self.permissions = permissions
        self.query = query
    }

    /// Reads a scope of version 2 or 1, and says of which one it is; nil where it is neither.
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

    /// As version 2 writes it.
    public var text: String { head + permissions.letters + (query.map { "?" + $0.text } ?? "") }

    /// As version 1 writes it; nil where it cannot.
    var versionOneText: String? { query == nil ? permissions.versionOne.map { head + $0 } : nil }

    private var head: String { "\(context.rawValue)/\(type ?? "*")." }

    /// Whether it reaches records of a type.
    public func reaches(type name: String) -> Bool { type == nil || type == name }

    /// Whether it permits all that the other one does.
    func covers(_ other: ResourceScope) -> Bool {
        guard context == other.context, type == nil || type == other.type,
            permissions.isSuperset(of: other.permissions)
        else { return false }
        guard let query else { return true }
        return other.query.map(query.covers) ?? false
    }

    /// What both permit; nil where that is nothing.
    func intersection(_ other: ResourceScope) -> ResourceScope? {
        let common = permissions.intersection(other.permissions)
        guard context == other.context, !common.isEmpty, type == nil || other.type == nil || type == other.type else {
            return nil
        }
        let narrowed = query.map { query in other.query.map(query.and) ?? query } ?? other.query
        return ResourceScope(context: context, type: type ?? other.type, permissions: common, query: narrowed)
    }
}
