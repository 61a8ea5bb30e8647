import Accounts
import Core
import Foundation

/// The accounts of a study's identified people, from the member `accounts` of `study.json`.
package struct AccountsConfiguration: Sendable, Hashable {
    /// Maximum number of groups.
    static let maximumGroups = 50
    /// Maximum number of bytes of the name of a group.
    static let maximumGroupBytes = 64

    /// The groups of patients; the first one is the default.
    package let groups: [String]
    /// The mail server; nil if mails are written to `data/mail/`.
    package let mail: MailConfiguration?

    package init(groups: [String] = ["main"], mail: MailConfiguration? = nil) {
        self.groups = groups
        self.mail = mail
    }

    /// Reads the member.
    ///
    /// - Throws: ``ServerError`` `study-invalid`, which names the member.
    init(_ json: JSON) throws {
        guard json.object != nil else { throw Self.invalid("accounts", "an object with groups") }
        let names = json["groups"]?.array?.map(\.string) ?? []
        let groups = names.compactMap { $0 }
        guard (1...Self.maximumGroups).contains(groups.count), groups.count == names.count,
            Set(groups).count == groups.count, groups.allSatisfy(Self.isGroup)
        else {
            throw Self.invalid(
                "accounts.groups",
                "a list of 1 to \(Self.maximumGroups) names, each once: letters, digits, -, _ and . (the default first)"
            )
        }
        self.groups = groups
        do {
            mail = try json["mail"].map { try MailConfiguration($0) }
        } catch let error as any CodedError {
            throw ServerError(code: "study-invalid", message: error.message)
        }
    }

    /// The JSON of the member.
    var json: JSON {
        var json: JSON = ["groups": .array(groups.map { .string($0) })]
        if let mail { json["mail"] = mail.json }
        return json
    }

    /// The known members of `accounts`.
    static let knownMembers: Set<String> = ["groups", "mail"]

    private static func isGroup(_ name: String) -> Bool {
        (1...maximumGroupBytes).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || (0x30...0x39).contains($0.value)
                        || "-_.".unicodeScalars.contains($0))
            }
    }

    private static func invalid(_ name: String, _ wanted: String) -> ServerError {
        ServerError(code: "study-invalid", message: "study.json: \(name) must be \(wanted).")
    }
}
