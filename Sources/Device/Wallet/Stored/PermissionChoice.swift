import Core
import Foundation
import Wire

/// The terms of a permission as a person chose them. A value that is nil has the default.
public struct PermissionChoice: Sendable, Hashable {
    /// The access; by default the requested one, else `read`.
    public var access: PermissionScope.Access?
    /// The resource types; by default the requested ones, else all.
    public var types: PermissionScope.Types?
    /// The maximum confidentiality; by default the requested one, else N.
    public var confidentiality: String?
    /// The sensitivity codes; by default the requested ones, else none.
    public var sensitivities: [String]?
    /// The beginning; by default the time of the server.
    public var start: Date?
    /// The end; by default 30 days after the beginning, and for a permission that is passed on not after its parent's.
    public var end: Date?

    /// Days of a permission without a chosen end.
    public static let defaultDays = 30

    /// Creates a choice of defaults.
    public init() {}

    /// Returns the terms for a grantee. Fractions of seconds are dropped.
    ///
    /// - Parameters:
    ///   - requested: the access that the app requested; nil for none.
    ///   - now: the time of the server.
    ///   - parent: the permission that is passed on; nil for a permission of a wallet.
    /// - Throws: `PermissionError` `bad_field`, `period_invalid`.
    public func terms(
        for csi: CsiGuid, requested: PermissionScope? = nil, now: Date, parent: PermissionRecord? = nil
    ) throws(PermissionError) -> PermissionTerms {
        let scope = try PermissionScope(
            access: access ?? requested?.access ?? .read,
            confidentiality: confidentiality ?? requested?.confidentiality ?? "N",
            sensitivities: sensitivities ?? requested?.sensitivities ?? [], types: types ?? requested?.types ?? .all)
        let start = CsiInstant(start ?? now)
        var end = CsiInstant(end ?? start.date.addingTimeInterval(Double(Self.defaultDays) * 86_400))
        if self.end == nil, let parent, parent.end < end { end = parent.end }
        return try PermissionTerms(
            grantees: [csi], start: start, end: end, timeStamp: CsiInstant(now), scope: scope, parent: parent?.id)
    }

    /// Returns the permission that is passed on: the oldest one that covers the choice, else the oldest one that may be
    /// passed on. nil for none. The server decides.
    ///
    /// - Parameters:
    ///   - received: the permissions that the app received.
    ///   - now: the time of the server.
    func parent(among received: [PermissionRecord], for csi: CsiGuid, now: Date) throws(PermissionError)
        -> PermissionRecord?
    {
        let candidates = received.filter {
            $0.status == .active && $0.start.date <= now && now < $0.end.date && $0.parent == nil
                && $0.scope.access == .write
        }.sorted { ($0.timeStamp.date, $0.id) < ($1.timeStamp.date, $1.id) }
        for candidate in candidates where candidate.covers(try terms(for: csi, now: now, parent: candidate)) {
            return candidate
        }
        return candidates.first
    }
}

extension PermissionRecord {
    /// Whether terms are within this permission. Sensitivity codes are compared by their text: the server also knows
    /// which codes cover others.
    func covers(_ terms: PermissionTerms) -> Bool {
        let levels = PermissionScope.confidentialities
        guard let own = levels.firstIndex(of: scope.confidentiality),
            let other = levels.firstIndex(of: terms.scope.confidentiality), other <= own, terms.start >= start,
            terms.end <= end, Set(terms.scope.sensitivities).isSubset(of: scope.sensitivities)
        else { return false }
        switch (scope.types, terms.scope.types) {
        case (.all, _): return true
        case (.listed, .all): return false
        case (.listed(let own), .listed(let other)): return Set(other).isSubset(of: own)
        }
    }
}

extension PublicClaims {
    /// Reads claims that a person wrote: the list of the wire, or an object of names and values in which names may be
    /// absent.
    ///
    /// - Throws: `PermissionError` `malformed`, `bad_field`.
    public init(written json: JSON) throws(PermissionError) {
        guard let object = json.object else {
            try self.init(json: json)
            return
        }
        guard object.members.allSatisfy({ Self.names.contains($0.key) }) else {
            throw PermissionError(.malformed, "Claims are named \(Self.names.joined(separator: ", ")).")
        }
        let list = Self.names.map { name -> JSON in ["key": .string(name), "value": json[name] ?? .string("")] }
        try self.init(json: .array(list))
    }
}
