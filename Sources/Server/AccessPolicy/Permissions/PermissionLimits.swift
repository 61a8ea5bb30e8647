import Foundation

/// The limits of a permission that one csi gives to another: resource types, access, labels and a period.
package struct PermissionLimits: Sendable, Hashable {
    /// Whether records may be read only, or written too.
    package enum Access: String, Sendable, Hashable, CaseIterable {
        /// Reading and searching: `rs`.
        case read
        /// Creating and updating as well: `crus`.
        case write

        /// Permitted operations.
        package var permissions: ScopePermissions {
            switch self {
            case .read: [.read, .search]
            case .write: [.create, .read, .update, .search]
            }
        }

        /// Whether it gives all that another one gives.
        func includes(_ other: Access) -> Bool { permissions.isSuperset(of: other.permissions) }
    }

    /// Types to which a permission for all types gives no access. A permission that lists such a type still does.
    package static let withheldTypes: Set<String> = ["Consent", "Contract", "Provenance", "AuditEvent"]

    /// Resource types; nil for all types except ``withheldTypes``.
    package let types: Set<String>?
    /// Reading, or writing too.
    package let access: Access
    /// Maximum confidentiality of a record.
    package let confidentiality: Confidentiality
    /// Codes of the sensitive records that it gives access to; each covers its descendants.
    package let sensitivities: Set<String>
    /// The first instant of the period.
    package let start: Date
    /// The first instant after the period.
    package let end: Date

    /// Creates limits. An unknown sensitivity code gives access to no record.
    package init(
        types: Set<String>?, access: Access, confidentiality: Confidentiality, sensitivities: Set<String> = [],
        start: Date, end: Date
    ) {
        self.types = types
        self.access = access
        self.confidentiality = confidentiality
        self.sensitivities = sensitivities
        self.start = start
        self.end = end
    }

    /// Reads the stored form; nil if it is damaged.
    ///
    /// - Parameters:
    ///   - access: `read` or `write`.
    ///   - types: types separated by commas, or `*`.
    ///   - confidentiality: a code of v3-Confidentiality.
    ///   - sensitivities: codes separated by spaces.
    package init?(
        access: String, types: String, confidentiality: String, sensitivities: String, start: Date, end: Date
    ) {
        guard let access = Access(rawValue: access), let confidentiality = Confidentiality(code: confidentiality),
            !types.isEmpty
        else { return nil }
        self.init(
            types: types == "*" ? nil : Set(types.split(separator: ",").map(String.init)), access: access,
            confidentiality: confidentiality, sensitivities: Set(sensitivities.split(separator: " ").map(String.init)),
            start: start, end: end)
    }

    /// Stored form of the types: sorted and separated by commas, or `*`.
    package var typesText: String { types?.sorted().joined(separator: ",") ?? "*" }

    /// Stored form of the sensitivity codes: sorted and separated by spaces.
    package var sensitivitiesText: String { sensitivities.sorted().joined(separator: " ") }

    /// Sensitivity codes that no scope expresses, in alphabetical order. A permission with such a code is not given.
    package var unknownSensitivities: [String] { sensitivities.filter { !SensitivityCodes.r4.contains($0) }.sorted() }

    /// Returns the scopes that express the limits except for the period: one for each type, or one for `*`, then the
    /// labels. Equal limits have equal scopes.
    package func scopes(in context: ResourceScope.Context = .user) -> AccessScopes {
        let resources = (types?.sorted().map(Optional.some) ?? [nil]).map {
            AccessScope(ResourceScope(context: context, type: $0, permissions: access.permissions), asVersionOne: false)
        }
        let labels =
            [AccessScope.confidentiality(confidentiality)] + sensitivities.sorted().map(AccessScope.sensitivity)
        return AccessScopes(known: resources + labels).withholding(PermissionLimits.withheldTypes)
    }

    /// Whether the period contains an instant.
    package func isInForce(at now: Date) -> Bool { start <= now && now < end }

    /// Whether the limits give nothing that others do not give: in the period, the confidentiality, the sensitivities,
    /// the types and the access.
    ///
    /// A sensitivity is within the others if one of their codes covers it. A list of types is never as much as `*`.
    package func isWithin(_ others: PermissionLimits) -> Bool {
        guard others.start <= start, end <= others.end, confidentiality <= others.confidentiality,
            others.access.includes(access)
        else { return false }
        let areCovered = sensitivities.allSatisfy { code in
            others.sensitivities.contains { SensitivityCodes.r4.covered(by: $0).contains(code) }
        }
        guard areCovered else { return false }
        switch (types, others.types) {
        case (nil, nil): return true
        case (nil, .some): return false
        case (.some(let own), nil): return own.isDisjoint(with: PermissionLimits.withheldTypes)
        case (.some(let own), .some(let listed)): return own.isSubset(of: listed)
        }
    }
}
