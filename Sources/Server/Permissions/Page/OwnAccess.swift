import AccessPolicy
import Core
import Foundation
import Wire

/// The access of others to a person's records, as the person sees it: permissions, approvals of apps, and reads.
package struct OwnAccess: Sendable, Hashable {
    /// An access that the person can end.
    package struct Entry: Sendable, Hashable {
        /// The kinds of access.
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A permission that a wallet gave, or an app passed on.
            case permission
            /// An approval of an app on the pages of this server (SMART on FHIR).
            case approval
        }

        package let kind: Kind
        /// The id of the permission or of the authorization.
        package let id: String
        /// The id of the client that has the access.
        package let client: String
        /// The name of the client.
        package let name: String
        /// The name of the app that passed the permission on; nil if a wallet gave it.
        package let passedOnBy: String?
        /// Sentences that say what it permits.
        package let words: [String]
        package let start: Date
        package let end: Date
        /// The last time at which the client used records of the person; nil if it did not do so lately.
        package var lastUse: Date?
    }

    /// A read or a change of records of the person.
    package struct Look: Sendable, Hashable {
        /// The number of the row of the audit.
        package let number: Int64
        package let at: Date
        /// The name of the app, or the kind of person.
        package let reader: String
        /// The action, in words.
        package let deed: String
        /// Whether it was permitted.
        package let isAllowed: Bool
    }

    /// The newest entries first.
    package let entries: [Entry]
    /// Whether there are more entries than ``entryLimit``.
    package let isCut: Bool
    /// The newest looks first.
    package let looks: [Look]
    /// The number before which the next page of looks begins; nil for the last page.
    package let nextLooks: Int64?

    /// Maximum number of entries.
    package static let entryLimit = 1_000
    /// Number of looks on a page.
    package static let lookCount = 50
    /// Number of looks in a file.
    package static let fileLookCount = 5_000

    /// The content of a file for the person.
    ///
    /// - Parameters:
    ///   - patient: the id of the Patient.
    ///   - now: the time of the file.
    func json(of patient: String, now: Date) -> JSON {
        func time(_ date: Date) -> JSON { .string(CsiInstant(date).text) }
        return JSON([
            .init(key: "patient", value: .string("Patient/\(patient)")), .init(key: "time", value: time(now)),
            .init(
                key: "access",
                value: .array(
                    entries.map { entry in
                        var members: [JSONObject.Member] = [
                            .init(key: "kind", value: .string(entry.kind.rawValue)),
                            .init(key: "id", value: .string(entry.id)),
                            .init(key: "client", value: .string(entry.client)),
                            .init(key: "name", value: .string(entry.name)),
                            .init(key: "permits", value: .array(entry.words.map { .string($0) })),
                            .init(key: "start", value: time(entry.start)), .init(key: "end", value: time(entry.end)),
                        ]
                        if let app = entry.passedOnBy {
                            members.append(.init(key: "passedOnBy", value: .string(app)))
                        }
                        if let use = entry.lastUse { members.append(.init(key: "lastUse", value: time(use))) }
                        return JSON(members)
                    })),
            .init(key: "accessIsComplete", value: .bool(!isCut)),
            .init(
                key: "uses",
                value: .array(
                    looks.map { look in
                        [
                            "time": time(look.at), "reader": .string(look.reader), "deed": .string(look.deed),
                            "allowed": .bool(look.isAllowed),
                        ]
                    })),
            .init(key: "usesAreComplete", value: .bool(nextLooks == nil)),
        ])
    }
}
