/// Operations that a scope permits (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html>).
package struct ScopePermissions: OptionSet, Sendable, Hashable {
    /// Permissions as bits.
    package let rawValue: UInt8

    /// Creates permissions from bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: create.
    package static let create = ScopePermissions(rawValue: 1)
    /// `r`: read, including versions and the history of one record.
    package static let read = ScopePermissions(rawValue: 2)
    /// `u`: update and patch.
    package static let update = ScopePermissions(rawValue: 4)
    /// `d`: delete.
    package static let delete = ScopePermissions(rawValue: 8)
    /// `s`: search, including the history of a type or of all records.
    package static let search = ScopePermissions(rawValue: 16)

    /// `cruds`.
    package static let all: ScopePermissions = [.create, .read, .update, .delete, .search]

    private static let letters: [(letter: Character, permission: ScopePermissions)] = [
        ("c", .create), ("r", .read), ("u", .update), ("d", .delete), ("s", .search),
    ]
    private static let versionOne: [(name: String, permissions: ScopePermissions)] = [
        ("read", [.read, .search]), ("write", [.create, .update, .delete]), ("*", .all),
    ]

    /// Parses letters in the order `cruds`, each of them optional; nil for any other text, including an empty one.
    init?(letters text: Substring) {
        var permissions: ScopePermissions = []
        var rest = text
        for (letter, permission) in ScopePermissions.letters where rest.first == letter {
            permissions.insert(permission)
            rest = rest.dropFirst()
        }
        guard rest.isEmpty, !permissions.isEmpty else { return nil }
        self = permissions
    }

    /// Parses the permissions of version 1: `read`, `write`, `*`.
    init?(versionOne text: Substring) {
        guard let found = ScopePermissions.versionOne.first(where: { $0.name == text }) else { return nil }
        self = found.permissions
    }

    /// Letters in the order `cruds`.
    package var letters: String {
        String(ScopePermissions.letters.filter { contains($0.permission) }.map(\.letter))
    }

    /// Name in version 1; nil if version 1 cannot express it.
    var versionOne: String? { ScopePermissions.versionOne.first { $0.permissions == self }?.name }
}
