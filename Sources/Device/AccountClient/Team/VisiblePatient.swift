import Core

/// A patient whose data a role of the account permits to read.
public struct VisiblePatient: Sendable, Hashable {
    /// The id of the patient's account.
    public let id: String
    /// The name; nil without access to profiles, or if the profile has none.
    public let name: String?
    /// The e-mail address; nil without access to profiles.
    public let email: String?
    /// The groups of the patient.
    public let groups: [String]
    /// The kinds of data that have changed since the cursor, such as `profile`.
    public let changed: [String]

    /// Reads an element of `patients`; nil if it is none.
    init?(json: JSON) {
        guard let id = json["patient"]?.string, AccountText.isID(id) else { return nil }
        self.id = id
        name = json["name"]?.string
        email = json["email"]?.string
        groups = (json["groups"]?.array ?? []).compactMap(\.string)
        changed = (json["changed"]?.array ?? []).compactMap(\.string)
    }

    /// `{patient,name,email,groups}`.
    public var json: JSON {
        [
            "patient": .string(id), "name": name.map { .string($0) } ?? .null,
            "email": email.map { .string($0) } ?? .null, "groups": .array(groups.map { .string($0) }),
        ]
    }
}

/// A page of the list of patients.
public struct PatientPage: Sendable, Hashable {
    /// The patients who have entered the list or changed since the cursor.
    public let patients: [VisiblePatient]
    /// The ids of the patients who have left the list since the cursor.
    public let left: [String]
    /// The cursor of the next page. It is also that of a later request for news.
    public let cursor: String

    /// Whether the list begins again with this page: the server was restored from a backup, and does not know the cursor.
    public let isRestart: Bool

    /// Whether there is no news.
    public var isEmpty: Bool { patients.isEmpty && left.isEmpty }

    /// Reads the body of `GET patients`; nil if it is none.
    init?(json: JSON) {
        guard let values = json["patients"]?.array, let ids = json["left"]?.array, let next = json["next"]?.string
        else {
            return nil
        }
        patients = values.compactMap { VisiblePatient(json: $0) }
        left = ids.compactMap { $0.string.flatMap { AccountText.isID($0) ? $0 : nil } }
        guard patients.count == values.count, left.count == ids.count else { return nil }
        cursor = next
        isRestart = json["restart"]?.bool ?? false
    }
}

/// The difference of the visible patients between two calls of ``AccountClient/pullPatients(_:)``. The ids are sorted.
public struct PatientChanges: Sendable, Hashable {
    /// The ids of the patients who are visible now, and were not before.
    public let entered: [String]
    /// The ids of the patients who were visible before, and whose data have changed.
    public let changed: [String]
    /// The ids of the patients who were visible before, and are no longer.
    public let left: [String]

    /// Whether there is no change.
    public var isEmpty: Bool { entered.isEmpty && changed.isEmpty && left.isEmpty }

    /// `{entered,changed,left}`.
    public var json: JSON {
        func array(_ ids: [String]) -> JSON { .array(ids.map { .string($0) }) }
        return ["entered": array(entered), "changed": array(changed), "left": array(left)]
    }
}
